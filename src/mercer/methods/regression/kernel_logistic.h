// Kernel logistic regression, with any kernel on any kind of object: classes with probabilities that come from the
// model itself.
//
//     two classes   min Σ wᵢ log(1 + e^(-yᵢf(xᵢ))) + λ/2 ‖f‖²                  P(second class | x) = 1/(1 + e^(-f(x)))
//     more          min -Σ wᵢ log p(yᵢ | xᵢ) + λ/2 Σ_c ‖f_c‖²                  p(c | x) = e^f_c(x)/Σ e^f(x) (softmax,
//     one f for each class)
//
// f(x) = Σαᵢk(xᵢ, x) + b, the offset not penalised, by Newton's method (solve_representer.h, solve_softmax.h) to a
// measured duality gap. Where the kernel matrix does not fit the memory it is computed again for every product. λ = 1/C
// in the terms of scikit-learn, whose LogisticRegression this is with a linear kernel.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/fit_checkpoint.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"
#include "mercer/methods/regression/representer.h"
#include "mercer/solvers/newton/solve_representer.h"

namespace mercer {

struct kernel_logistic {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    bool fit_intercept = true;
    double tol = 1e-6;
    index max_iter = 500;

    static method_facts facts() {
        return with_checkpoints({"kernel_logistic",
                                 {"logistic", "klr"},
                                 method_family::classification,
                                 "kernel logistic regression: classes with probabilities",
                                 "min Σ log(1 + e^(-yᵢf(xᵢ))) + 1/(2C) ‖f‖²",
                                 "mercer-kernel-logistic-model",
                                 answer::classes});
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "1/λ");
        v.flag("fit_intercept", fit_intercept, "with an offset");
        detail::newton_steps(v, tol, max_iter);
    }
};

struct kernel_logistic_options {
    double C = 1;  // 1/λ, 0 < C < infinity
    bool fit_intercept = true;
    double tol = 1e-6;                                    // of the gap, relative to the objective
    int max_iter = 500;                                   // Newton steps
    std::vector<std::pair<double, double>> class_weight;  // label → factor; labels not named have 1
    std::vector<double> sample_weight;                    // empty: all 1. 2 = the example twice, 0 = absent
    std::size_t memory_bytes = std::size_t{1} << 30;      // the kernel matrix is kept where it takes at most this
    progress_callback progress{};                         // Newton steps, and the gap
    fit_checkpoint checkpoint{};                          // after Newton steps
};

struct kernel_logistic_model {
    kernel_expansion f;           // one output for two classes, else one for each class
    std::vector<double> classes;  // labels, ascending
    double C = 1;
    fit_status status = fit_status::converged;
    double objective = 0, gap = 0;
    int rounds = 0;
};

// At least two different labels are needed.
kernel_logistic_model fit_kernel_logistic(const kernel& k, const dataset& x, std::span<const double> y,
                                          const kernel_logistic_options& options = {});
kernel_logistic_model fit_kernel_logistic_precomputed(matrix_view<const double> K, std::span<const double> y,
                                                      const kernel_logistic_options& options = {});

// f(x), one column for two classes, else one for each class.
matrix<double> decide(const kernel_logistic_model& model, const dataset& x);
matrix<double> decide_precomputed(const kernel_logistic_model& model, matrix_view<const double> K);
// One row per object, one column per class, from decision values.
matrix<double> probabilities(const kernel_logistic_model& model, matrix_view<const double> decisions);
// The most probable class; of equals the first.
std::vector<double> predict(const kernel_logistic_model& model, matrix_view<const double> decisions);
std::vector<double> predict(const kernel_logistic_model& model, const dataset& x);

namespace api {
struct method;
method kernel_logistic_method();
}  // namespace api

}  // namespace mercer
