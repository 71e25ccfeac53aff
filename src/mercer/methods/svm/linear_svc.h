// The method linear_svc: linear support vector classification by dual coordinate descent, for many features and many
// examples (solvers/linear_svm/coordinate_descent.h).
#pragma once

#include <optional>
#include <string>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/svm/common_options.h"

namespace mercer {

// The method linear_svc as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct linear_svc {
    std::optional<mercer::kernel> kernel{};  // must have explicit features; empty: the linear kernel
    std::string scale{};
    double C = 1;
    std::string loss = "squared_hinge", penalty = "l2";
    bool fit_intercept = true;
    double intercept_scaling = 1;
    double tol = 1e-4, max_seconds = 0;
    index max_iter = 1000, seed = 1;

    static method_info info() {
        return {"linear_svc",
                {},
                method_family::classification,
                "linear support vector classification by coordinate descent",
                "min ½‖w‖² + C Σξᵢ², yᵢwᵀ(xᵢ, s) >= 1-ξᵢ, each class against the rest",
                detail::svm_format,
                target_kind::classes,
                false,
                true,
                false,
                true};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), option_text::penalty_parameter);
        v.choice("loss", loss, {"squared_hinge", "hinge"}, "loss function: ξ² (squared_hinge) or ξ (hinge)");
        v.choice("penalty", penalty, {"l2", "l1"},
                 "½‖w‖² (l2) or ‖w‖₁ (l1), which sets the weights of some features to 0",
                 option_requirements{{"loss", {"squared_hinge"}}});
        v.flag("fit_intercept", fit_intercept,
               "fit an intercept, as the penalised weight of an additional constant feature");
        v.number("intercept_scaling", intercept_scaling, above(0),
                 "value s of the constant feature that is added for the intercept",
                 option_requirements{{"fit_intercept", {"true"}}});
        detail::epoch_options(v, tol, max_iter, seed);
        detail::time_limit_option(v, max_seconds);
    }
};

namespace api {
struct method;
// The entry of linear_svc in the list of methods.
method linear_svc_method();
}  // namespace api

}  // namespace mercer
