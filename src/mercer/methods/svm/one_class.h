// The method one_class: a region of the feature space that contains all but about a fraction ν of the examples.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const model m = fit(one_class{.kernel = gaussian{0.1}, .nu = 0.1}, iris);  // the classes are not used
//     const std::vector<double> side = predict(m, iris);                       // 1 inside, -1 outside
//     assert(std::count(side.begin(), side.end(), -1.0) < 30);
#pragma once

#include <optional>
#include <string>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/svm/common_options.h"

namespace mercer {

// The method one_class as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct one_class {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double nu = 0.5;
    double tol = 1e-3, max_seconds = 0;
    index max_iter = -1;
    bool shrinking = true;

    static method_info info() {
        return {"one_class",
                {"one_class_svm"},
                method_family::outliers,
                "one-class support vector machine: a region that contains most examples",
                "min ½‖w‖² - ρ + 1/(νn) Σξᵢ, wᵀφ(xᵢ) >= ρ-ξᵢ",
                detail::svm_format,
                target_kind::none};
    }
    template <class V>
    void options(V& v) {
        detail::nu_option(v, nu);
        detail::smo_options_of(v, *this);
    }
};

namespace api {
struct method;
// The entry of one_class in the list of methods.
method one_class_method();
}  // namespace api

}  // namespace mercer
