// Multiple kernel learning: a support vector machine whose kernel is a weighted sum of kernels, with the weights found
// together with the machine.
//
//     min over d of J(d),   J(d) = max over α of  g(α) - ½ Σ dₘ αᵀKₘα,      d >= 0, ‖d‖ₚ <= 1,
//
// where Kₘ is the matrix of kernel m divided by its scale, α are the signed coefficients with the constraints of the
// dual of the machine (methods/svm/svm_model.h), and g(α) is Σ yᵢαᵢ for c_svc, Σ (yᵢαᵢ - ε|αᵢ|) for epsilon_svr and 0
// for one_class. The machine for given d is the support vector machine with the kernel matrix Σ dₘKₘ. J is convex; its
// derivative by dₘ is -½αᵀKₘα at the optimal α. For any feasible α and any feasible d both sides of
//
//     g(α) - ½‖(αᵀKₘα)ₘ‖_q  <=  optimum  <=  ½ Σ dₘ αᵀKₘα + loss of f,    f = Σ dₘKₘα + b,   1/p + 1/q = 1,
//
// are computed with kernel values in double (q = ∞ for p = 1; the loss contains C); their difference is the duality
// gap. The binary problems of several classes share d, and all sums run over these problems.
//
// p = 1 (sparse weights): the level method (Lemaréchal, Nemirovskii, Nesterov 1995; Xu et al. 2008). The α of every
// machine gives a cut, J(d) >= g(α) - ½ Σ dₘ αᵀKₘα for all d. The next d is the point nearest to the last d at which no
// cut exceeds a level between the lower bound of the optimum and the smallest J found. The minimum over d of the
// largest cut is also a lower bound, that of a convex combination of the α of all machines. p > 1 (dense weights): the
// next d has dₘ ∝ ‖wₘ‖^(2/(p+1)), ‖wₘ‖² = dₘ²αᵀKₘα, which minimises the objective over d for the w of the last machine
// (Kloft, Brefeld, Sonnenburg, Zien, JMLR 12, 2011). Every machine starts from the α of the previous one.
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
    double objective = 0;         // upper bound of the optimum: ½ Σ dₘ αᵀKₘα + loss of f
    double bound = 0;             // lower bound of the optimum
    double gap = 0;               // objective - bound
    fit_status status = fit_status::converged;
    index machines = 0;  // number of fitted machines
};

// Learns the weights of the kernels of a family. y has one target per object: class labels if options.machine.task is
// c_svc, values if it is epsilon_svr; y is not used for one_class. Throws errc::unsupported for any other task, and
// errc::invalid_argument if an option is out of range or C is infinite. Reaching a limit is not an error: `status` of
// the result states how the iteration ended.
learnt_weights learn_weights(const kernel_family& family, std::span<const double> y,
                             const multiple_kernel_options& options = {});

// The support vector machines of multiple kernel learning: machines for given weights, each started from the previous
// one, and the quadratic terms of its dual for all kernels.

// Signed α of every binary problem, in the order of its rows.
using machine_coefficients = std::vector<std::vector<double>>;

struct machine_terms {
    double linear = 0;              // g(α)
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
