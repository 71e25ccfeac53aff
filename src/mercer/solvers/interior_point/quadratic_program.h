// Solves convex quadratic programs in n variables with dense matrices:
//
//     min  ½uᵀQu + pᵀu    subject to   Gu <= h,   l <= u <= r,   Au = b,        Q symmetric positive semidefinite.
//
// The dual, with multipliers z >= 0 of Gu <= h, z_l, z_r >= 0 of the bounds and y of the equations, is
//
//     max  -½uᵀQu - hᵀz + lᵀz_l - rᵀz_r - bᵀy    subject to   Qu + p + Gᵀz - z_l + z_r + Aᵀy = 0.
//
// The method is Mehrotra's predictor-corrector method (SIAM J. Optimization 2, 1992) from a start that need not be
// feasible. With slacks s = h - Gu, s_l = u - l, s_r = r - u every step factors
//
//     H = Q + Gᵀ diag(z/s) G + diag(z_l/s_l + z_r/s_r)     (bounds cost a diagonal, never a product)
//
// once and solves with H twice: for the direction in which all products s·z vanish, then for the direction in which
// they become σμ, corrected by the products Δs·Δz of the first direction. Here μ is the mean of the products s·z, μ_aff
// their mean after the largest feasible step along the first direction, and σ = (μ_aff/μ)³. Equations are handled by
// the Schur complement A H⁻¹ Aᵀ. A small multiple of I is added to H or to the complement if it is singular.
//
// The iteration ends when the residuals of the constraints and of the stationarity condition are at most tol relative
// to the terms of their sums, and the duality gap is at most tol relative to the larger absolute value of the two
// objectives. If the problem has no solution, the result is a certificate of that, verified up to tol:
//     primal infeasible   z, z_l, z_r >= 0 and y with Gᵀz - z_l + z_r + Aᵀy = 0 and hᵀz - lᵀz_l + rᵀz_r + bᵀy = -1
//                         (Farkas' lemma; status infeasible)
//     dual infeasible     a ray u with Qu = 0, Gu <= 0, Au = 0, pᵀu = -1, uᵢ >= 0 where the lower bound lᵢ is finite,
//                         and uᵢ <= 0 where the upper bound rᵢ is finite (status unbounded)
// If the iteration stalls or reaches max_steps far from a solution, two auxiliary quadratic programs are solved, which
// always have a solution. The first minimises the violation of the constraints; if the minimum is positive, its
// multipliers are a Farkas certificate. The second minimises the violation of the conditions of a ray; if the minimum
// is zero, its solution is a ray. If neither gives a certificate, the result is the best point of the iteration, with
// the status stalled or step_limit.
//
// Example:
//
//     // min ½(u₁² + u₂²) - u₁ - 1.5u₂  subject to  u₁ + u₂ = 1, u >= 0
//     const double Q[] = {1, 0, 0, 1}, p[] = {-1, -1.5}, zero[] = {0, 0}, A[] = {1, 1}, b[] = {1};
//     quadratic_program problem;
//     problem.Q = {Q, 2, 2};
//     problem.p = p;
//     problem.lower = zero;
//     problem.A = {A, 1, 2};
//     problem.b = b;
//     const qp_result found = solve_qp(problem);
//     assert(found.status == fit_status::converged);
//     assert(std::abs(found.u[0] - 0.25) < 1e-6 && std::abs(found.u[1] - 0.75) < 1e-6);
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

// The problem, in the symbols above; `lower` is l and `upper` is r. Matrices are row-major. All data are borrowed and
// must outlive the call of solve_qp().
struct quadratic_program {
    // n × n; only the upper triangle is read. Without rows: Q = 0, a linear program.
    matrix_view<const double> Q;
    std::span<const double> p;      // n
    matrix_view<const double> G;    // m × n, general inequalities; may have no rows
    std::span<const double> h;      // m
    std::span<const double> lower;  // n; empty: no lower bounds; entries may be -∞
    std::span<const double> upper;  // n; empty: no upper bounds; entries may be +∞
    matrix_view<const double> A;    // e × n, equations; may have no rows
    std::span<const double> b;      // e
};

// The state after a step; `u` is valid during the call of the callback only.
struct qp_progress {
    std::int64_t step = 0;
    double primal = 0, dual = 0, gap = 0;
    double primal_residual = 0, dual_residual = 0;
    double seconds = 0;
    std::span<const double> u;
};

// Options of solve_qp().
struct qp_options {
    double tol = 1e-8;  // tolerance of residuals and duality gap, relative
    std::int64_t max_steps = 200;
    double max_seconds = std::numeric_limits<double>::infinity();
    std::function<bool(const qp_progress&)> progress;  // called once per step; returns false to stop with the current u
};

// The result of solve_qp(). The status is converged, infeasible (no point satisfies the constraints), unbounded (the
// objective decreases without bound), or one of step_limit, time_limit, cancelled and stalled; then u is the best point
// of the iteration, which need not be feasible.
struct qp_result {
    fit_status status = fit_status::converged;
    std::vector<double> u;                       // the solution; the ray if the status is unbounded
    std::vector<double> z, z_lower, z_upper, y;  // the multipliers; the certificate if infeasible
    double primal = 0, dual = 0;                 // objectives
    double gap = 0;                              // duality gap max(|primal - dual|, Σs·z)/max(|primal|, |dual|)
    // The largest violation of a constraint, and the largest entry of Qu + p + Gᵀz - z_l + z_r + Aᵀy, both relative to
    // the size of the terms of the sum.
    double primal_residual = 0;
    double dual_residual = 0;
    std::int64_t steps = 0;
    double seconds = 0;
};

// Solves the problem. Time O((n + m + e)³) per step for n variables, m inequalities and e equations; memory O(n²) in
// addition to the data. Throws errc::invalid_argument if sizes differ, there are no variables or tol is not positive,
// and errc::data if a number is NaN or, except for bounds, infinite.
qp_result solve_qp(const quadratic_program& problem, const qp_options& options = {});

}  // namespace mercer
