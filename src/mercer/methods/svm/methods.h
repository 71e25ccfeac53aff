// The support vector machines as values: svc, nu_svc, svr, nu_svr, one_class.
//
//     svc{.kernel = gaussian{0.5}, .C = 10}
#pragma once

#include <optional>
#include <string>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/description.h"

namespace mercer {
namespace detail {

inline constexpr double no_bound = std::numeric_limits<double>::infinity();
template <class V>
void price_of_errors(V& v, double& C) {
    v.number("C", C, up_to(above(0), no_bound), "price of an error; inf: none allowed");
}
template <class V>
void share_of_errors(V& v, double& nu) {
    v.number("nu", nu, up_to(above(0), 1), "bound on the share of errors, and below it on that of support vectors");
}
template <class V>
void when_to_end(V& v, double& tol, double& max_seconds) {
    v.number("tol", tol, above(0), "the gap at which training ends");
    v.number("max_seconds", max_seconds, at_least(0), "stop after so long and keep what there is; 0: no limit");
}
template <class V>
void many_classes(V& v, std::string& multiclass, bool& probability) {
    v.choice("multiclass", multiclass, {"ovo", "ovr"}, "more than two: each against each, or each against the rest");
    v.flag("probability", probability, "probabilities as well, by cross-validation");
}
inline constexpr const char* svm_format = "mercer-svm-model";

}  // namespace detail

struct svc {
    std::optional<mercer::kernel> kernel{};  // none: the default for the kind of object
    std::string scale{};                     // "standard" or "minmax": of the columns of vectors
    double C = 1;
    double tol = 1e-3, max_seconds = 0;
    std::string multiclass = "ovo";
    bool probability = false;

    static method_facts facts() {
        return {"svc", {"svm", "c_svc"}, method_family::classification, "support vector classification", "min ½‖w‖² + C Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= 1-ξᵢ",
                detail::svm_format, answer::classes};
    }
    template <class V>
    void options(V& v) {
        detail::price_of_errors(v, C);
        detail::when_to_end(v, tol, max_seconds);
        detail::many_classes(v, multiclass, probability);
    }
};

struct nu_svc {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double nu = 0.5;
    double tol = 1e-3, max_seconds = 0;
    std::string multiclass = "ovo";
    bool probability = false;

    static method_facts facts() {
        return {"nu_svc", {}, method_family::classification, "support vector classification with a bound on the errors",
                "min ½‖w‖² - νρ + (1/n) Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= ρ-ξᵢ", detail::svm_format, answer::classes};
    }
    template <class V>
    void options(V& v) {
        detail::share_of_errors(v, nu);
        detail::when_to_end(v, tol, max_seconds);
        detail::many_classes(v, multiclass, probability);
    }
};

struct svr {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1, epsilon = 0.1;
    double tol = 1e-3, max_seconds = 0;

    static method_facts facts() {
        return {"svr", {"epsilon_svr"}, method_family::regression, "support vector regression", "min ½‖w‖² + C Σξᵢ, |yᵢ-f(xᵢ)| <= ε+ξᵢ",
                detail::svm_format, answer::values};
    }
    template <class V>
    void options(V& v) {
        detail::price_of_errors(v, C);
        v.number("epsilon", epsilon, at_least(0), "half the width of the tube in which errors cost nothing");
        detail::when_to_end(v, tol, max_seconds);
    }
};

struct nu_svr {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1, nu = 0.5;
    double tol = 1e-3, max_seconds = 0;

    static method_facts facts() {
        return {"nu_svr", {}, method_family::regression, "support vector regression that finds the width of its tube",
                "as svr, with about νn examples outside the tube", detail::svm_format, answer::values};
    }
    template <class V>
    void options(V& v) {
        detail::price_of_errors(v, C);
        detail::share_of_errors(v, nu);
        detail::when_to_end(v, tol, max_seconds);
    }
};

struct one_class {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double nu = 0.5;
    double tol = 1e-3, max_seconds = 0;

    static method_facts facts() {
        return {"one_class", {"one_class_svm"}, method_family::outliers, "the region that holds most of the objects",
                "min ½‖w‖² - ρ + 1/(νn) Σξᵢ, wᵀφ(xᵢ) >= ρ-ξᵢ", detail::svm_format, answer::none};
    }
    template <class V>
    void options(V& v) {
        detail::share_of_errors(v, nu);
        detail::when_to_end(v, tol, max_seconds);
    }
};

}  // namespace mercer
