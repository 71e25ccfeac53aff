// (K + D)x = b for a positive semidefinite K that is only multiplied by, a diagonal D > 0 and several right-hand sides
// b, which share D or have one each: the equations of kernel ridge regression without n² numbers in memory.
//
// Conjugate gradients, each column its own and all in one product a step, preconditioned by P = FFᵀ + D with FFᵀ ≈ K
// from randomly pivoted Cholesky of rank r (Díaz, Epperly, Frangella, Tropp, Webber 2023): where the eigenvalues of K
// beyond the r-th are of the size of D, a number of steps that does not grow with n. P⁻¹ by Woodbury's identity,
//     P⁻¹ = D⁻¹ - D⁻¹F(I + FᵀD⁻¹F)⁻¹FᵀD⁻¹.
// Ends when ‖b - (K + D)x‖ <= tol·‖b‖ for every right-hand side, multiplied out afresh in double; where the recurrence
// had promised more than that, it starts again from the true residual.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/base/fit_status.h"
#include "mercer/dense/lanczos.h"

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
    // ‖b - (K + D)x‖/‖b‖ of each right-hand side: measured, or the recurrence's where a stop ended the measurement.
    std::vector<double> residuals;
};

// `multiply` is out = K·v. Every row of b is a right-hand side and becomes its solution. d: the diagonal of D, a row
// for each right-hand side or one row for all of them. factor: F, n × r.
ridge_cg_result ridge_cg(const block_operator& multiply, matrix_view<const double> d, matrix_view<const double> factor,
                         matrix_view<double> b, const ridge_cg_options& options);

}  // namespace mercer
