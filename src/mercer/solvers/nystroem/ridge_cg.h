// (K + D)X = B for a positive semidefinite K that is only multiplied by, and a diagonal D > 0: the equations of kernel
// ridge regression without n² numbers in memory.
//
// Conjugate gradients, each column its own and all in one product a step, preconditioned by P = FFᵀ + D with FFᵀ ≈ K
// from randomly pivoted Cholesky of rank r (Díaz, Epperly, Frangella, Tropp, Webber 2023): where the eigenvalues of K
// beyond the r-th are of the size of D, a number of steps that does not grow with n. P⁻¹ by Woodbury's identity,
//     P⁻¹ = D⁻¹ - D⁻¹F(I + FᵀD⁻¹F)⁻¹FᵀD⁻¹.
// Ends when ‖B - (K + D)X‖ <= tol·‖B‖ for every column, multiplied out afresh in double; where the recurrence had
// promised more than that, it starts again from the true residual.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/fit_status.h"
#include "mercer/solvers/algebra/block_lanczos.h"

namespace mercer {

struct ridge_cg_options {
    double tol = 1e-10;
    index max_iter = 1000;                                            // products with K
    std::function<bool(index products, double residual)> progress{};  // false: stop and keep what there is
    // What is needed to go on, after every product; and such a state to start from, with the bits of a solution that
    // was never interrupted.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
};

struct ridge_cg_result {
    fit_status status = fit_status::step_limit;
    index products = 0;
    double residual = 0;  // the largest ‖b - (K + D)x‖/‖b‖, measured
};

// `multiply` is out = K·v. Every row of b is a right-hand side and becomes its solution. factor: F, n × r.
ridge_cg_result ridge_cg(const block_operator& multiply, std::span<const double> d, matrix_view<const double> factor,
                         matrix_view<double> b, const ridge_cg_options& options);

}  // namespace mercer
