#include "mercer/kernels/vectors/anisotropic.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/vectors/bilinear.h"

namespace mercer {

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
    const matrix<double> checked = symmetric_matrix("anisotropic", covariance);
    const Eigen::MatrixXd m = Eigen::Map<const Eigen::MatrixXd>(checked.data(), checked.rows(), checked.cols());
    const Eigen::LLT<Eigen::MatrixXd> factor(m);
    if (factor.info() != Eigen::Success) {
        const double smallest =
            Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
        fail(errc::not_psd,
             fmt::format("anisotropic: covariance must be positive definite, its smallest eigenvalue is {:.6g}",
                         smallest));
    }
    const Eigen::MatrixXd inverse = factor.matrixL().solve(Eigen::MatrixXd::Identity(m.rows(), m.cols()));
    return rows_of_column_major(inverse.data(), inverse.rows(), inverse.cols());
}

}  // namespace mercer
