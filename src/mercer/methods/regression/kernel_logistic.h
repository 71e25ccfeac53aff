// Kernel logistic regression, with any kernel on any kind of object: classification with probabilities.
//
//     two classes    min Σ wᵢ log(1 + e^(-yᵢf(xᵢ))) + λ/2 ‖f‖²,    P(second class | x) = 1/(1 + e^(-f(x)))
//     more classes   min -Σ wᵢ log p(yᵢ | xᵢ) + λ/2 Σ_c ‖f_c‖²,    p(c | x) = e^f_c(x)/Σ e^f(x)
//                    (softmax, one f per class)
//
// f(x) = Σαᵢk(xᵢ, x) + b, and b is not penalised. Newton's method (solve_representer.h, solve_softmax.h) stops at a
// measured duality gap. If the kernel matrix does not fit into memory_bytes, it is computed again for every product.
// With a linear kernel and C = 1/λ this is scikit-learn's LogisticRegression.
//
// Example:
//
//     const table data = read_table("data/heart_scale.svm");
//     const kernel_logistic_model m = fit_kernel_logistic(gaussian{0.1}, data.x, data.y, {.C = 1});
//     const matrix<double> p = probabilities(m, decide(m, data.x).view());  // 270 × 2
//     assert(m.status == fit_status::converged && std::abs(p(0, 0) + p(0, 1) - 1) < 1e-12);
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/checkpoint.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"
#include "mercer/methods/regression/representer.h"
#include "mercer/solvers/newton/solve_representer.h"

namespace mercer {

// The method kernel_logistic as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct kernel_logistic {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    bool fit_intercept = true;
    double tol = 1e-6;
    index max_iter = 500;

    static method_info info() {
        return with_checkpoints({"kernel_logistic",
                                 {"logistic", "klr"},
                                 method_family::classification,
                                 "kernel logistic regression: classification with probabilities",
                                 "min Σ log(1 + e^(-yᵢf(xᵢ))) + 1/(2C) ‖f‖²",
                                 "mercer-kernel-logistic-model",
                                 target_kind::classes});
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), option_text::penalty_parameter);
        v.flag("fit_intercept", fit_intercept, option_text::intercept);
        detail::newton_steps(v, tol, max_iter);
    }
};

// Options of fit_kernel_logistic().
struct kernel_logistic_options {
    double C = 1;  // 1/λ, 0 < C < infinity
    bool fit_intercept = true;
    double tol = 1e-6;   // maximum duality gap, relative to the objective
    int max_iter = 500;  // maximum number of Newton steps
    // label → factor of the weights; classes that are not listed have factor 1
    std::vector<std::pair<double, double>> class_weight;
    // One weight per example: weight 2 counts an example twice, weight 0 leaves it out. Empty: all weights are 1.
    std::vector<double> sample_weight;
    std::size_t memory_bytes = std::size_t{1} << 30;  // the kernel matrix is stored if it fits
    progress_callback progress{};                     // reports the Newton steps and the duality gap
    fit_checkpoint checkpoint{};                      // written after Newton steps
};

// The result of fit_kernel_logistic(): the functions f and how the fit ended.
struct kernel_logistic_model {
    kernel_expansion f;           // one output for two classes, otherwise one per class
    std::vector<double> classes;  // labels in ascending order
    double C = 1;
    fit_status status = fit_status::converged;
    double objective = 0, gap = 0;
    int rounds = 0;
};

// Fits to the objects x with the kernel k, or to the n × n kernel matrix K of the examples. y contains one class label
// per example. Throws errc::data unless there are at least two different labels among the examples of positive weight
// and all values are finite, and errc::invalid_argument if an option is out of range or sizes differ.
kernel_logistic_model fit_kernel_logistic(const kernel& k, const dataset& x, std::span<const double> y,
                                          const kernel_logistic_options& options = {});
kernel_logistic_model fit_kernel_logistic_precomputed(matrix_view<const double> K, std::span<const double> y,
                                                      const kernel_logistic_options& options = {});

// Returns decision values f(x), a row for each object: one column for two classes (positive: the second class),
// otherwise one per class. K contains kernel values of new objects (rows) against all training examples (columns).
matrix<double> decide(const kernel_logistic_model& model, const dataset& x);
matrix<double> decide_precomputed(const kernel_logistic_model& model, matrix_view<const double> K);
// Converts decision values to probabilities: one row per example, one column per class.
matrix<double> probabilities(const kernel_logistic_model& model, matrix_view<const double> decisions);
// Returns the label of the most probable class of each example; the first one if several are equally probable.
std::vector<double> predict(const kernel_logistic_model& model, matrix_view<const double> decisions);
std::vector<double> predict(const kernel_logistic_model& model, const dataset& x);

namespace api {
struct method;
// The entry of kernel_logistic in the list of methods.
method kernel_logistic_method();
}  // namespace api

}  // namespace mercer
