// The method pegasos: support vector classification by stochastic subgradient descent.
#pragma once

#include <optional>
#include <string>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/svm/common_options.h"

namespace mercer {

// The method pegasos as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct pegasos {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    index batch_size = 1;
    bool projection = false, average = true, fit_intercept = true;
    double tol = 1e-2, max_seconds = 0;
    index max_iter = 1000, seed = 1;

    static method_info info() {
        return {"pegasos",
                {},
                method_family::classification,
                "support vector classification by stochastic subgradient descent",
                "min ½‖w‖² + C Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= 1-ξᵢ, each class against the rest",
                detail::svm_format,
                target_kind::classes};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), option_text::penalty_parameter);
        v.integer("batch_size", batch_size, 1, "number of examples per step");
        v.flag("projection", projection,
               "after each step project w onto a ball around the optimum; linear kernel only");
        v.flag("average", average, "return the mean of w over the steps, not the last w");
        v.flag("fit_intercept", fit_intercept, option_text::intercept);
        detail::epoch_options(v, tol, max_iter, seed);
        detail::time_limit_option(v, max_seconds);
    }
};

namespace api {
struct method;
// The entry of pegasos in the list of methods.
method pegasos_method();
}  // namespace api

}  // namespace mercer
