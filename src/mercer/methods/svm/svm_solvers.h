// Every way to train a support vector machine, under one option.
//
//   smo                       any task and kernel (solvers/smo)
//   interior_point            the dual as a quadratic program, any kernel (methods/svm/svm_qp.h)
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

#include "mercer/methods/svm/svm.h"
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
    // (solvers/linear_svm/l1_coordinate_descent.h).
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

}  // namespace mercer
