// Multiple kernel learning: a support vector machine whose kernel is a sum with weights found together with it.
//
//     min over d of J(d),   J(d) = max over α of  pᵀα - ½ Σ dₘ αᵀKₘα,      d >= 0, ‖d‖ₚ <= 1,
//
// α in the box and the sums of the machine's dual (methods/svm). J is convex, its gradient is -½αᵀKₘα at the machine's
// α. For any feasible α and any d the two sides of
//
//     pᵀα - ½‖(αᵀKₘα)ₘ‖_q  <=  optimum  <=  ½ Σ dₘ αᵀKₘα + loss of f = Σ dₘKₘα + b,        1/p + 1/q = 1,
//
// are measured with kernel values in double; their difference is the gap. Machines of several classes share d, and all
// sums run over their binary problems.
//
// p = 1 (a few kernels): the level method (Lemaréchal, Nemirovskii, Nesterov 1995; Xu et al. 2008). Every machine gives
// a cut J(d) >= pᵀα - ½ d·(αᵀKₘα)ₘ; the next d is the nearest one at which all cuts are below a level between the best
// J and the least that the cuts allow. That least is also the bound of a convex combination of the machines' α.
// p > 1 (all kernels, unevenly): dₘ ∝ ‖wₘ‖^(2/(p+1)), the minimum over d for the machine's w (Kloft, Brefeld,
// Sonnenburg, Zien, JMLR 12, 2011), again and again. Either way a machine starts from the α of the one before.
#pragma once

#include <span>
#include <vector>

#include "mercer/meta/kernel_family.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/methods/svm/multiclass.h"

namespace mercer {

struct multiple_kernel_options {
    double norm = 1;        // p, 1 <= p < infinity
    double tol = 1e-3;      // of the gap, beside the objective
    index max_iter = 200;   // machines
    svm_options machine{};  // c_svc, epsilon_svr or one_class, with its C, ε, ν and weights; its tol is not used
    progress_callback progress{};
};

struct learnt_weights {
    std::vector<double> weights;  // d; ‖d‖ₚ = 1
    std::vector<double> scales;   // what each kernel was divided by
    double objective = 0;         // ½ Σ dₘ αᵀKₘα + loss: not less than the optimum
    double bound = 0;             // not more than it
    double gap = 0;               // objective - bound
    fit_status status = fit_status::converged;
    index machines = 0;  // fitted on the way
};

learnt_weights learn_weights(const kernel_family& family, std::span<const double> y,
                             const multiple_kernel_options& options = {});

// The support vector machines behind multiple kernel learning: fitted for given weights, each from the one before, and
// what the duals of one say of all kernels.

// Signed α of every binary problem, in the order of its rows.
using machine_coefficients = std::vector<std::vector<double>>;

struct machine_figures {
    double linear = 0;              // pᵀα
    std::vector<double> quadratic;  // αᵀKₘα of each kernel
    double objective = 0;  // ½c² Σ dₘαᵀKₘα + loss of c·f + b, f = Σ dₘKₘα, at the best c and b
};

class machines_of_family {
public:
    machines_of_family(const kernel_family& family, std::span<const double> y, const svm_options& options);

    // To a gap of `tol` in terms of f; cut short where `seconds` are over.
    machine_coefficients fit(std::span<const double> weights, double tol, double seconds);
    machine_figures measure(const machine_coefficients& coef, std::span<const double> weights, bool exact) const;
    // How large values of f are, as a rule.
    double scale() const { return scale_; }

private:
    double loss_of(std::size_t problem, const double* f, index stride, double factor) const;

    const kernel_family& family_;
    std::span<const double> y_;
    svm_options options_;
    std::vector<binary_problem> problems_;
    machine_coefficients last_;
    double scale_ = 1;
};

}  // namespace mercer
