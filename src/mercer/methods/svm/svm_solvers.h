// All solvers for support vector machines behind one function, selected by svm_solver:
//
//   smo                       any task and kernel (solvers/smo)
//   interior_point            the dual as a quadratic program, any kernel (methods/svm/svm_solvers.h)
//   primal_qp                 the primal in (w, b, ξ) as a quadratic program, linear kernel
//   subgradient               descent on J(w, b), linear kernel (solvers/linear_svm/subgradient.h)
//   pegasos                   stochastic descent, linear kernel (solvers/linear_svm/pegasos.h)
//   kernel_pegasos            Pegasos with any kernel (solvers/linear_svm/kernel_pegasos.h)
//   dual_coordinate_descent   linear kernel, penalised offset (coordinate_descent.h); with examples kept
//                             any kernel with explicit features (kernels/features/explicit_features.h)
//
// All but smo are for the C-SVC. All return an svm_model, so prediction, calibration and model files do not depend on
// the solver; kernel, x and y have the same meaning as for fit_svm(). Models of dual solvers contain the support
// vectors with their coefficients. The primal solvers subgradient and pegasos return w as the only support vector, with
// coefficient 1 and support_rows = -1: f(x) = 1·k(w, x) + b, so a linear model has d numbers per problem for any number
// of examples. Dual coordinate descent does either; see `keep_examples`.
//
// In the reports of the descent methods `gap` is the relative duality gap (J - D)/J, and `objective` is -D, with the
// primal objective J and the dual objective D of solvers/linear_svm/hinge_problem.h.
//
// Example:
//
//     const table data = read_table("data/heart_scale.svm");
//     const trained_svm found = train_svm(svm_solver::interior_point, gaussian{0.1}, data.x, data.y, {});
//     assert(found.model.worst_status() == fit_status::converged);
#pragma once

#include <limits>
#include <string_view>

#include "mercer/methods/svm/fit_svm.h"
#include "mercer/solvers/interior_point/quadratic_program.h"
#include "mercer/solvers/linear_svm/coordinate_descent.h"
#include "mercer/solvers/linear_svm/pegasos.h"

namespace mercer {

// The solvers; the file comment describes them.
enum class svm_solver { smo, interior_point, primal_qp, subgradient, pegasos, kernel_pegasos, dual_coordinate_descent };
const char* name(svm_solver solver) noexcept;
svm_solver find_svm_solver(std::string_view text);  // fails for another text; the message lists the solvers
// Returns true if the solver computes w and therefore needs the linear kernel on vectors.
bool needs_linear_kernel(svm_solver solver) noexcept;

// Options of train_svm().
struct train_options {
    // C, classes, weights, memory, max_seconds, canonical_order and progress; tol is the tolerance of the KKT violation
    // for smo and the two quadratic programs.
    svm_options svm;
    qp_options qp;
    // The memory limit for the matrices of the two quadratic programs; a fit that needs more throws errc::memory.
    double qp_bytes = std::numeric_limits<double>::infinity();
    subgradient_options subgradient;
    // By default the offset of Pegasos and kernel Pegasos is not penalised and minimises J.
    pegasos_options pegasos = [] {
        pegasos_options o;
        o.offset = offset_rule::exact;
        return o;
    }();
    coordinate_descent_options coordinate;
    double constant = 1;        // dual coordinate descent: value of the feature for the offset; 0: no offset
    bool keep_examples = true;  // dual coordinate descent: the model has the support vectors; false: only w
    // Coordinate descent with squared hinge and without examples: ‖w‖₁ instead of ½‖w‖² in the primal
    // (solvers/linear_svm/coordinate_descent.h).
    bool l1_penalty = false;
    bool trace = false;  // also return the objectives after every iteration
};

// The objectives of one problem after an iteration: `primal` is J(w, b) = ½‖w‖² + Σ Cᵢ max(0, 1 - yᵢf(xᵢ)), `dual` is D
// (hinge_problem.h); NaN if not known.
struct trace_point {
    index problem = 0;
    double seconds = 0;  // time of the solver, without the evaluation of the objectives
    std::int64_t iteration = 0;
    double primal = 0, dual = 0;
};

// The result of train_svm().
struct trained_svm {
    svm_model model;
    std::vector<trace_point> trace;  // sorted by problem, then time; starts with α = 0, w = 0. Empty without `trace`
};

// Fits with the given solver. Throws errc::unsupported if the solver does not support the task, the kernel, a hard
// margin or another option, errc::memory (qp_bytes), and the errors of fit_svm().
trained_svm train_svm(svm_solver solver, const kernel& k, const dataset& x, std::span<const double> y,
                      const train_options& options);

// The soft- and hard-margin support vector machine posed as a standard quadratic program (quadratic_program.h),
// both ways:
//
//   dual      min ½αᵀQα - 1ᵀα,  Qᵢⱼ = yᵢyⱼk(xᵢ, xⱼ),   Gα <= h with G = [I; -I], h = [C; 0],   yᵀα = 0
//             (C = ∞: only α >= 0)
//   primal    min ½‖w‖² + Σ Cᵢξᵢ over u = (w, b, ξ),    yᵢ(wᵀxᵢ + b) + ξᵢ >= 1,   ξ >= 0
//             (C = ∞: no ξ)
//
// The bounds of the dual are passed as bounds, not as matrices. The primal needs explicit features: the data of the
// linear kernel, or those of a feature map. The multipliers of its margin constraints are α, so both return a
// dual_solution.
//
// The iterates of an interior-point method lie strictly inside the bounds. An αᵢ is therefore set to a bound where the
// multiplier of the bound is larger relative to its scale than the distance of αᵢ; then Σαy = 0 is restored, and the
// KKT violation and the objective are computed from the kernel in double, as SMO does. For a hard margin of classes
// that are not separable the dual is unbounded and the primal infeasible: both throw errc::infeasible.

// Solves the dual program. The report has the status `converged` if the KKT violation is at most `tol`. Two n × n
// matrices of doubles are stored.
dual_solution solve_dual_qp(const gram<double>& K, const dual_input& in, double tol, const qp_options& options = {});
// Solves the primal program. x contains the features, one row per example. A step takes O((n + d)³) time, so n must be
// small.
dual_solution solve_primal_qp(matrix_view<const double> x, const gram<double>& K, const dual_input& in, double tol,
                              const qp_options& options = {});

// The bytes of the matrices of the two programs.
double dual_qp_bytes(index n);
double primal_qp_bytes(index dims, const dual_input& in);

// Sets the offset, KKT violation and objective of a C-SVC solution from its signed coefficients and K in double.
void measure_c_svc(const gram<double>& K, const dual_input& in, dual_solution& solution);

}  // namespace mercer
