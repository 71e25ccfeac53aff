// The methods svr and nu_svr: support vector regression with a given tube width ε, or with ε found for a given ν.
//
// Example:
//
//     const table housing = read("data/housing.svm");
//     const model m = fit(svr{.kernel = gaussian{0.1}, .scale = "standard", .C = 10, .epsilon = 0.5}, housing);
//     assert(score(m, housing).number("r2") > 0.8);
#pragma once

#include <optional>
#include <string>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/svm/common_options.h"

namespace mercer {

// The method svr as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct svr {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1, epsilon = 0.1;
    double tol = 1e-3, max_seconds = 0;
    index max_iter = -1;
    bool shrinking = true;

    static method_info info() {
        return {"svr",
                {"epsilon_svr"},
                method_family::regression,
                "support vector regression",
                "min ½‖w‖² + C Σξᵢ, |yᵢ-f(xᵢ)| <= ε+ξᵢ",
                detail::svm_format,
                target_kind::values,
                true,
                true,
                false,
                false,
                path_over::C};
    }
    template <class V>
    void options(V& v) {
        detail::c_option(v, C);
        v.number("epsilon", epsilon, at_least(0), option_text::half_width);
        detail::smo_options_of(v, *this);
    }
};

// The method nu_svr as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nu_svr {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1, nu = 0.5;
    double tol = 1e-3, max_seconds = 0;
    index max_iter = -1;
    bool shrinking = true;

    static method_info info() {
        return {"nu_svr",
                {},
                method_family::regression,
                "support vector regression that chooses the width of its tube by ν",
                "as svr, with ε chosen so that about νn examples lie outside the tube",
                detail::svm_format,
                target_kind::values};
    }
    template <class V>
    void options(V& v) {
        detail::c_option(v, C);
        detail::nu_option(v, nu);
        detail::smo_options_of(v, *this);
    }
};

namespace api {
struct method;
// Entries of the list of methods.
method svr_method();
method nu_svr_method();
}  // namespace api

}  // namespace mercer
