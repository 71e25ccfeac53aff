#include "mercer/kernels/vectors/bilinear.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

matrix<double> symmetric_matrix(const std::string& owner, const std::vector<std::vector<double>>& rows) {
    const auto n = static_cast<index>(rows.size());
    matrix<double> m(n, n);
    bool finite = true;
    double largest = 0;
    for (index i = 0; i < n; ++i) {
        const std::vector<double>& row = rows[static_cast<std::size_t>(i)];
        if (static_cast<index>(row.size()) != n)
            fail(errc::invalid_argument,
                 fmt::format("{}: the matrix must be square, got {} rows and {} numbers in row {}", owner, n,
                             row.size(), i));
        for (index j = 0; j < n; ++j) {
            m(i, j) = row[static_cast<std::size_t>(j)];
            finite = finite && std::isfinite(m(i, j));
            largest = std::max(largest, std::abs(m(i, j)));
        }
    }
    if (!finite) fail(errc::invalid_argument, owner + ": the matrix must be finite");
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < i; ++j) {
            if (std::abs(m(i, j) - m(j, i)) > 1e-12 * largest)
                fail(errc::invalid_argument,
                     fmt::format("{}: the matrix must be symmetric, got {} at ({}, {}) and {} at ({}, {})", owner,
                                 m(i, j), i, j, m(j, i), j, i));
            m(i, j) = m(j, i) = (m(i, j) + m(j, i)) / 2;
        }
    return m;
}

std::vector<std::vector<double>> rows_of_column_major(const double* by_columns, index rows, index cols) {
    std::vector<std::vector<double>> out(static_cast<std::size_t>(rows));
    for (index i = 0; i < rows; ++i)
        for (index j = 0; j < cols; ++j) out[static_cast<std::size_t>(i)].push_back(by_columns[i + j * rows]);
    return out;
}

std::vector<std::vector<double>> bilinear::root() const {
    if (A.empty()) fail(errc::invalid_argument, "bilinear: A must have at least one row");
    const matrix<double> checked = symmetric_matrix("bilinear", A);
    const Eigen::MatrixXd m = Eigen::Map<const Eigen::MatrixXd>(checked.data(), checked.rows(), checked.cols());
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(m);
    const Eigen::VectorXd& values = eigen.eigenvalues();
    // Rounding can change an eigenvalue by up to about n·ε·‖A‖.
    const double tolerance = static_cast<double>(m.rows()) * 2.3e-16 * values.cwiseAbs().maxCoeff();
    if (values.minCoeff() < -tolerance)
        fail(errc::not_psd, fmt::format("bilinear: A must be positive semidefinite, its smallest eigenvalue is {:.6g}",
                                        values.minCoeff()));
    const Eigen::MatrixXd root = values.cwiseMax(0).cwiseSqrt().asDiagonal() * eigen.eigenvectors().transpose();
    return rows_of_column_major(root.data(), root.rows(), root.cols());
}

}  // namespace mercer
