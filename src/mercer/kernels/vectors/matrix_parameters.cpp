// Factors of the matrices that kernels take as parameters, and the checks that go with them.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/vectors/anisotropic.h"
#include "mercer/kernels/vectors/bilinear.h"

namespace mercer {
namespace {

using dense_matrix = Eigen::MatrixXd;

dense_matrix symmetric(const std::string& owner, const std::vector<std::vector<double>>& rows) {
    const auto n = static_cast<Eigen::Index>(rows.size());
    dense_matrix m(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        if (static_cast<Eigen::Index>(rows[i].size()) != n)
            fail(errc::invalid_argument,
                 fmt::format("{}: the matrix must be square, got {} rows and {} numbers in row {}", owner, n,
                             rows[i].size(), i));
        for (Eigen::Index j = 0; j < n; ++j) m(i, j) = rows[i][j];
    }
    if (!m.allFinite()) fail(errc::invalid_argument, owner + ": the matrix must be finite");
    const double largest = m.size() ? m.cwiseAbs().maxCoeff() : 0;
    for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < i; ++j)
            if (std::abs(m(i, j) - m(j, i)) > 1e-12 * largest)
                fail(errc::invalid_argument,
                     fmt::format("{}: the matrix must be symmetric, got {} at ({}, {}) and {} at ({}, {})", owner,
                                 m(i, j), i, j, m(j, i), j, i));
    return (m + m.transpose()) / 2;
}

std::vector<std::vector<double>> rows_of(const dense_matrix& m) {
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(m.rows()));
    for (Eigen::Index i = 0; i < m.rows(); ++i)
        for (Eigen::Index j = 0; j < m.cols(); ++j) rows[i].push_back(m(i, j));
    return rows;
}

}  // namespace

std::vector<double> anisotropic::inverse_roots() const {
    std::vector<double> roots;
    for (const double variance : covariance.front()) {
        require(variance > 0 && std::isfinite(variance), "anisotropic", fmt::format("covariance[{}] > 0", roots.size()),
                variance);
        roots.push_back(1 / std::sqrt(variance));
    }
    if (roots.empty()) fail(errc::invalid_argument, "anisotropic: covariance must have at least one number");
    return roots;
}

std::vector<std::vector<double>> anisotropic::whitening() const {
    if (covariance.empty()) fail(errc::invalid_argument, "anisotropic: covariance must have at least one number");
    const dense_matrix m = symmetric("anisotropic", covariance);
    const Eigen::LLT<dense_matrix> factor(m);
    if (factor.info() != Eigen::Success) {
        const double smallest =
            Eigen::SelfAdjointEigenSolver<dense_matrix>(m, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
        fail(errc::not_psd,
             fmt::format("anisotropic: covariance must be positive definite, its smallest eigenvalue is {:.6g}",
                         smallest));
    }
    return rows_of(factor.matrixL().solve(dense_matrix::Identity(m.rows(), m.cols())));
}

std::vector<std::vector<double>> bilinear::root() const {
    if (A.empty()) fail(errc::invalid_argument, "bilinear: A must have at least one row");
    const dense_matrix m = symmetric("bilinear", A);
    const Eigen::SelfAdjointEigenSolver<dense_matrix> eigen(m);
    const Eigen::VectorXd& values = eigen.eigenvalues();
    // Rounding alone can move an eigenvalue by n·ε·‖A‖.
    const double tolerance = static_cast<double>(m.rows()) * 2.3e-16 * values.cwiseAbs().maxCoeff();
    if (values.minCoeff() < -tolerance)
        fail(errc::not_psd, fmt::format("bilinear: A must be positive semidefinite, its smallest eigenvalue is {:.6g}",
                                        values.minCoeff()));
    return rows_of(values.cwiseMax(0).cwiseSqrt().asDiagonal() * eigen.eigenvectors().transpose());
}

}  // namespace mercer
