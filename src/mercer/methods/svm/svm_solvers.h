// Every way to train a support vector machine, under one option.
//
//   smo                       any task and kernel (solvers/smo)
//   interior_point            the dual as a quadratic program, any kernel (methods/svm/svm_solvers.h)
//   primal_qp                 the primal in (w, b, ξ) as a quadratic program, linear kernel
//   subgradient               descent on J(w, b), linear kernel (solvers/linear_svm/subgradient.h)
//   pegasos                   stochastic descent, linear kernel (solvers/linear_svm/pegasos.h)
//   kernel_pegasos            the same with any kernel (solvers/linear_svm/kernel_pegasos.h)
//   dual_coordinate_descent   linear kernel, penalised offset (coordinate_descent.h); with examples kept
//                             any kernel with explicit features (kernels/features/explicit_features.h)
//
// All but smo are for C-SVC. What comes back is one kind of model whoever made it, so that deciding, predicting,
// calibrating and saving need not know. Dual solvers give the examples with their coefficients. The primal ones,
// subgradient and pegasos, give w itself as the one support object with coefficient 1: f(x) = 1·k(w, x) + b, its number
// among the examples -1. So a linear model costs d numbers a problem, however many examples made it. Dual coordinate
// descent does either: `keep_examples`.
//
// In the reports of the descent methods `gap` is the relative one, (J - D)/J, and `objective` is -D, the dual as a
// minimum.
#pragma once

#include <limits>
#include <string_view>

#include "mercer/methods/svm/fit_svm.h"
#include "mercer/solvers/interior_point/quadratic_program.h"
#include "mercer/solvers/linear_svm/coordinate_descent.h"
#include "mercer/solvers/linear_svm/pegasos.h"

namespace mercer {

enum class svm_solver { smo, interior_point, primal_qp, subgradient, pegasos, kernel_pegasos, dual_coordinate_descent };
const char* name(svm_solver solver) noexcept;
svm_solver svm_solver_named(std::string_view text);  // fails, naming all of them
// Does it keep w, and so need the linear kernel on vectors?
bool needs_linear_kernel(svm_solver solver) noexcept;

struct train_options {
    svm_options svm;  // C, classes, weights, memory, most_seconds, any_order, progress; tol: of the KKT gap (smo and
                      // the two programs)
    qp_options qp;
    double qp_bytes = std::numeric_limits<double>::infinity();  // for the matrices of the two programs; where they need
                                                                // more, errc::memory
    subgradient_options subgradient;
    // The offset of the sources: left free, and taken where J is least.
    pegasos_options pegasos = [] {
        pegasos_options o;
        o.offset = offset_rule::exact;
        return o;
    }();
    coordinate_descent_options coordinate;
    double constant = 1;        // dual coordinate descent: LIBLINEAR's -B; 0: no offset
    bool keep_examples = true;  // dual coordinate descent: the examples with their coefficients; false: w alone
    // dual coordinate descent, squared hinge, w alone: ‖w‖₁ in the place of ½‖w‖², in the primal
    // (solvers/linear_svm/coordinate_descent.h).
    bool l1_penalty = false;
    bool trace = false;
};

// J(w, b) = ½‖w‖² + Σ Cᵢ max(0, 1 - yᵢf(xᵢ)) and D of one problem after so much work; NaN where not known.
struct trace_point {
    index problem = 0;
    double seconds = 0;  // the solver's, without what measuring took
    std::int64_t iteration = 0;
    double primal = 0, dual = 0;
};

struct trained_svm {
    svm_model model;
    std::vector<trace_point> trace;  // by problem, then in time; starts from α = 0, w = 0
};

trained_svm fit_svm_with(svm_solver solver, const kernel& k, const dataset& x, std::span<const double> y,
                         const train_options& options);

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
