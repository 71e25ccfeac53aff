// The soft- and hard-margin support vector machine posed as a standard quadratic program (quadratic_program.h),
// both ways:
//
//   dual    min ½αᵀQα - 1ᵀα,  Qᵢⱼ = yᵢyⱼk(xᵢ, xⱼ),   Gα <= h with G = [I; -I], h = [C; 0],   yᵀα = 0      (C = ∞: only
//   α >= 0) primal  min ½‖w‖² + Σ Cᵢξᵢ over u = (w, b, ξ),    yᵢ(wᵀxᵢ + b) + ξᵢ >= 1,   ξ >= 0                    (C =
//   ∞: no ξ)
//
// The two bounds of the dual are handed over as bounds, never multiplied as matrices. The primal needs explicit
// features: the data of the linear kernel, or a feature map's. The multipliers of its margins are α, so both return the
// same kind of answer.
//
// An interior point touches no bound. Where a multiplier says more clearly than the variable that a bound is met, α is
// set to it, Σαy = 0 restored, and the KKT gap and objective of the answer are taken anew from the kernel in double, as
// SMO does. Data that cannot be separated make the hard margin's dual unbounded and its primal infeasible:
// errc::infeasible.
#pragma once

#include "mercer/methods/svm/fit_svm.h"
#include "mercer/solvers/interior_point/quadratic_program.h"

namespace mercer {

// `tol` of the KKT gap decides whether the report says converged. n × n doubles are held, twice over.
dual_solution solve_dual_qp(const gram<double>& K, const dual_input& in, double tol, const qp_options& options = {});
// x: one row per example, its features. Of order (n + d)³ a step: for small n.
dual_solution solve_primal_qp(matrix_view<const double> x, const gram<double>& K, const dual_input& in, double tol,
                              const qp_options& options = {});

// What the matrices of either take.
double dual_qp_bytes(index n);
double primal_qp_bytes(index dims, const dual_input& in);

// What an answer to the C-SVC problem is worth: offset, KKT gap and objective of the signed coefficients, from K in
// double.
void measure_c_svc(const gram<double>& K, const dual_input& in, dual_solution& answer);

}  // namespace mercer
