// Random matrices and data for the tests of insight/.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/precomputed.h"

namespace mercer::testing {

using eigen_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline matrix<double> to_matrix(const eigen_matrix& from) {
    matrix<double> to(from.rows(), from.cols());
    std::copy_n(from.data(), from.size(), to.data());
    return to;
}
inline eigen_matrix to_eigen(matrix_view<const double> from) {
    eigen_matrix to(from.rows, from.cols);
    for (index i = 0; i < from.rows; ++i)
        for (index j = 0; j < from.cols; ++j) to(i, j) = from(i, j);
    return to;
}
inline precomputed<double> as_gram(const eigen_matrix& k) { return precomputed<double>(to_matrix(k)); }

inline eigen_matrix random_matrix(index rows, index cols, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    return eigen_matrix::NullaryExpr(rows, cols, [&] { return normal(random); });
}
// BBᵀ with B of n × rank.
inline eigen_matrix random_psd(index n, index rank, std::mt19937_64& random) {
    const eigen_matrix b = random_matrix(n, rank, random);
    const eigen_matrix k = b * b.transpose();
    return (k + k.transpose()) / 2;
}
// A random orthogonal basis with the given eigenvalues.
inline eigen_matrix with_eigenvalues(const Eigen::VectorXd& values, std::mt19937_64& random) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(random_matrix(values.size(), values.size(), random));
    const Eigen::MatrixXd q = qr.householderQ();
    const eigen_matrix k = q * values.asDiagonal() * q.transpose();
    return (k + k.transpose()) / 2;
}
inline dense<double> random_vectors(index n, index dims, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    return dense<double>(to_matrix(random_matrix(n, dims, random)));
}

template <class Body>
void expect_error(Body&& body, errc code, const std::string& part) {
    try {
        body();
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.code(), code) << thrown.what();
        EXPECT_NE(std::string(thrown.what()).find(part), std::string::npos)
            << "\"" << thrown.what() << "\" lacks \"" << part << "\"";
        return;
    }
    ADD_FAILURE() << "nothing was thrown";
}

}  // namespace mercer::testing
