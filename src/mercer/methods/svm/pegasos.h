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
                "support vector classification by stochastic subgradient steps",
                "min ½‖w‖² + C Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= 1-ξᵢ, each class against the rest",
                detail::svm_format,
                target_kind::classes};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "price of an error");
        v.integer("batch_size", batch_size, 1, "examples a step");
        v.flag("projection", projection, "onto the ball that holds the optimum, after each step; linear kernel only");
        v.flag("average", average, "the answer is the mean over the steps, else the last one");
        v.flag("fit_intercept", fit_intercept, "with an offset b, not penalised");
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
