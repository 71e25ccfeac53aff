// Kernel logistic regression over the span of M centres, for millions of examples: classes with probabilities.
//
//     two classes    min Σ wᵢ log(1 + e^(-yᵢf(xᵢ))) + 1/(2C) ‖f‖²        over f(x) = Σⱼ βⱼk(x, zⱼ) + b
//     more classes   the softmax loss of one f per class
//
// b is not penalised. If all examples are centres, this is kernel_logistic. nystroem_ridge.h describes the centres and
// the solver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/nystroem_fit.h"

namespace mercer {

// The method nystroem_logistic as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nystroem_logistic {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    index n_centres = 1000;
    double trace_tol = 0;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    bool fit_intercept = true;
    bool doubling = false;
    double tol = 1e-6;
    index max_iter = 1000, seed = 0;

    static method_info info() {
        return with_checkpoints({"nystroem_logistic",
                                 {},
                                 method_family::classification,
                                 "kernel logistic regression by the Nyström method, for millions of examples",
                                 "min Σ log(1 + e^(-yᵢf(xᵢ))) + 1/(2C) ‖f‖², f = Σ βⱼk(·, zⱼ) + b",
                                 "mercer-nystroem-logistic-model",
                                 target_kind::classes});
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), option_text::penalty_parameter);
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::prediction_centre_choices());
        detail::trace_options(v, trace_tol, doubling);
        v.flag("fit_intercept", fit_intercept, option_text::intercept);
        detail::pass_options(v, tol, max_iter);
    }
};

// The result of fit_nystroem_logistic(); the members are those of nystroem_fit (nystroem_fit.h).
struct nystroem_logistic_model : nystroem_fit {};

// Fits to the examples x. y contains one class label per example. fit_nystroem_ridge() describes x and the errors;
// throws errc::data also if there is only one class. If several processes share the rows of x, y and the weights are
// those of this process, and every process gets the whole model.
nystroem_logistic_model fit_nystroem_logistic(const training_rows& x, std::span<const double> y,
                                              const nystroem_options& options);
// Converts decision values (decide() in nystroem_fit.h) to probabilities: a row for each example, a column for each
// class.
matrix<double> probabilities(const nystroem_logistic_model& model, matrix_view<const double> decisions);

namespace api {
struct method;
// The entry of nystroem_logistic in the list of methods.
method nystroem_logistic_method();
}  // namespace api

}  // namespace mercer
