// Multiple kernel learning: a support vector machine whose kernel is a weighted sum of kernels, with the weights found
// together with the machine.
//
//     min over d of J(d),   J(d) = max over α of  pᵀα - ½ Σ dₘ αᵀKₘα,      d >= 0, ‖d‖ₚ <= 1,
//
// with α subject to the constraints of the dual (methods/svm). J is convex; its gradient is -½αᵀKₘα at the optimal α.
// For any feasible α and any d both sides of
//
//     pᵀα - ½‖(αᵀKₘα)ₘ‖_q  <=  optimum  <=  ½ Σ dₘ αᵀKₘα + loss of f = Σ dₘKₘα + b,        1/p + 1/q = 1,
//
// are computed with kernel values in double; their difference is the duality gap. The binary problems of several
// classes share d, and all sums run over these problems.
//
// p = 1 (sparse weights): the level method (Lemaréchal, Nemirovskii, Nesterov 1995; Xu et al. 2008). Every machine
// gives a cut J(d) >= pᵀα - ½ d·(αᵀKₘα)ₘ; the next d is the nearest point at which all cuts are below a level between
// the best J and the minimum of the cuts. This minimum is also the bound of a convex combination of the α of the
// machines. p > 1 (dense weights): iterates dₘ ∝ ‖wₘ‖^(2/(p+1)), the minimum over d for the w of the machine (Kloft,
// Brefeld, Sonnenburg, Zien, JMLR 12, 2011). Every machine starts from the α of the previous one.
#pragma once

#include <span>
#include <vector>

#include "mercer/meta/kernel_family.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/methods/svm/multiclass.h"

namespace mercer {

// Options of learn_weights().
struct multiple_kernel_options {
    double norm = 1;        // p, 1 <= p < infinity
    double tol = 1e-3;      // tolerance of the duality gap, relative to the objective
    index max_iter = 200;   // maximum number of fitted machines
    svm_options machine{};  // c_svc, epsilon_svr or one_class, with C, ε, ν and weights; its tol is ignored
    progress_callback progress{};
};

// The result of learn_weights().
struct learnt_weights {
    std::vector<double> weights;  // d with ‖d‖ₚ = 1
    std::vector<double> scales;   // divisor of each kernel
    double objective = 0;         // upper bound of the optimum: ½ Σ dₘ αᵀKₘα + loss
    double bound = 0;             // lower bound of the optimum
    double gap = 0;               // objective - bound
    fit_status status = fit_status::converged;
    index machines = 0;  // number of fitted machines
};

// y contains one target per object: labels or values. Throws errc::invalid_argument if an option is out of range or C
// is infinite, and errc::unsupported for other tasks.
learnt_weights learn_weights(const kernel_family& family, std::span<const double> y,
                             const multiple_kernel_options& options = {});

// The support vector machines of multiple kernel learning: machines for given weights, each started from the previous
// one, and the quadratic terms of its dual for all kernels.

// Signed α of every binary problem, in the order of its rows.
using machine_coefficients = std::vector<std::vector<double>>;

struct machine_terms {
    double linear = 0;              // pᵀα
    std::vector<double> quadratic;  // αᵀKₘα of each kernel
    double objective = 0;  // ½c² Σ dₘαᵀKₘα + loss of c·f + b, f = Σ dₘKₘα, at the best c and b
};

class family_machines {
public:
    family_machines(const kernel_family& family, std::span<const double> y, const svm_options& options);

    // Fits to a gap of `tol` in units of f, or until `seconds` have passed.
    machine_coefficients fit(std::span<const double> weights, double tol, double seconds);
    machine_terms measure(const machine_coefficients& coef, std::span<const double> weights, bool exact) const;
    // The typical size of values of f.
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
