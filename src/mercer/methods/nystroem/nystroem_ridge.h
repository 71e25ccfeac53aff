// Functions of the span of M centres in place of all n examples (Williams, Seeger 2001), fitted to all of them by
// passes over K(X, Z) that store none of it: any kernel, any kind of object, memory n + M² and time n·M a pass.
//
//     nystroem_ridge      min Σ wᵢ(yᵢ - f(xᵢ))² + λ‖f‖²                      one or several targets
//     nystroem_logistic   min Σ wᵢ log(1 + e^(-yᵢf(xᵢ))) + 1/(2C) ‖f‖²       softmax for more than two classes
//     nystroem_svc        min Σ wᵢ max(0, 1 - yᵢf(xᵢ))² + 1/(2C) ‖f‖²        one class against the rest; or with the
//                         hinge itself, not squared: nystroem_svc.h
//
// over f(x) = Σⱼ βⱼk(x, zⱼ) + b, b not penalised. With all examples as centres they are kernel_ridge, kernel_logistic
// and the squared hinge exactly. Solved as Falkon is (Rudi, Carratino, Rosasco 2017; Meanti, Carratino, Rosasco, Rudi
// 2020) to a measured duality gap: methods/nystroem/nystroem_newton.h. The model says how approximate it is: the
// share of the trace of K(X, X) that the centres do not reach, the gap of the problem it solved, and the passes it
// took.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/nystroem_fit.h"

namespace mercer {

struct nystroem_ridge {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double alpha = 1;
    index n_centres = 1000;
    double accuracy = 0;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    bool fit_intercept = false;
    bool doubling = false;
    double tol = 1e-6;
    index max_iter = 500, seed = 0;

    static method_facts facts() {
        return with_checkpoints({"nystroem_ridge",
                                 {"falkon"},
                                 method_family::regression,
                                 "kernel ridge regression on a few centres, for millions of examples",
                                 "min Σ(yᵢ - f(xᵢ))² + λ‖f‖², f = Σ βⱼk(·, zⱼ)",
                                 "mercer-nystroem-ridge-model",
                                 answer::values});
    }
    template <class V>
    void options(V& v) {
        v.number("alpha", alpha, above(0), "λ, the price of large coefficients");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::centres_to_predict());
        detail::reach_options(v, accuracy, doubling);
        v.flag("fit_intercept", fit_intercept, "with an offset b");
        detail::pass_options(v, tol, max_iter);
    }
};

struct nystroem_ridge_model : nystroem_fit {};

// Where several processes share the rows of x, y and weights are those of this one, and each has the whole model.
nystroem_ridge_model fit_nystroem_ridge(const kernel_rows& x, matrix_view<const double> y,
                                        const nystroem_options& options);

namespace api {
struct method;
method nystroem_ridge_method();
}  // namespace api

}  // namespace mercer
