// Support vector classification over the span of M centres, for millions of examples; more than two classes are solved
// one against the rest.
//
// squared_hinge (default): min Σ wᵢ max(0, 1 - yᵢf(xᵢ))² + 1/(2C) ‖f‖² over f(x) = Σⱼ βⱼk(x, zⱼ) + b, b not penalised,
// by passes that store no features (nystroem_ridge.h, nystroem_newton.h).
//
// hinge: Newton's method does not apply. The Nyström features φ(x) = T⁻ᵀk(Z, x) (nystroem_basis.h) of all examples are
// stored, and a linear machine is fitted to them by dual coordinate descent (solvers/linear_svm/coordinate_descent.h),
//
//     min  Σ wᵢ max(0, 1 - yᵢf(xᵢ)) + 1/(2C) (‖f‖² + b²/κ),     f(x) = γᵀφ(x) + b,   κ the largest k(z, z).
//
// The offset b is the weight of one additional feature of value √κ, the largest ‖φ(z)‖ of a centre, and is penalised
// like the other weights. An epoch is one pass over the features. The solver stops when the duality gap, measured after
// each epoch, is at most tol times the objective.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const model m = fit(nystroem_svc{.kernel = gaussian{0.5}, .scale = "standard", .C = 10, .n_centres = 50}, iris);
//     assert(score(m, iris).number("accuracy") > 0.95);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/nystroem_fit.h"

namespace mercer {

// The method nystroem_svc as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nystroem_svc {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    std::string loss = "squared_hinge";
    index n_centres = 1000;
    double trace_tol = 0;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    bool fit_intercept = true;
    bool doubling = false;
    double tol = 1e-6;
    index max_iter = 1000, seed = 0;

    static method_info info() {
        return with_checkpoints({"nystroem_svc",
                                 {},
                                 method_family::classification,
                                 "support vector classification by the Nyström method, for millions of examples",
                                 "min Σ max(0, 1 - yᵢf(xᵢ))² + 1/(2C) ‖f‖², f = Σ βⱼk(·, zⱼ) + b",
                                 "mercer-nystroem-svc-model",
                                 target_kind::classes},
                                "loss=squared_hinge");
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), option_text::penalty_parameter);
        v.choice("loss", loss, {"squared_hinge", "hinge"}, "loss function: squared hinge or hinge");
        v.choice_meanings({{"squared_hinge", "solved by passes over the examples, without storing their features"},
                           {"hinge", "stores the features of all examples in memory and penalises the intercept"}});
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::prediction_centre_choices());
        detail::trace_options(v, trace_tol, doubling);
        v.flag("fit_intercept", fit_intercept, option_text::intercept);
        detail::pass_options(v, tol, max_iter);
    }
};

// The result of fit_nystroem_svc(); the members are those of nystroem_fit (nystroem_fit.h).
struct nystroem_svc_model : nystroem_fit {};

// Fits to the examples x. y contains one class label per example. fit_nystroem_ridge() describes x and the errors;
// throws errc::data also if there is only one class. If several ranks share the rows of x, then y and the weights
// belong to the rows of this rank, and every rank returns the whole model.
nystroem_svc_model fit_nystroem_svc(const training_rows& x, std::span<const double> y, const nystroem_options& options);

namespace api {
struct method;
// The entry of nystroem_svc in the list of methods.
method nystroem_svc_method();
}  // namespace api

}  // namespace mercer
