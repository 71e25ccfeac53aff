// The support vector machines as values: svc, nu_svc, svr, nu_svr, one_class; linear_svc and pegasos by descent.
//
//     svc{.kernel = gaussian{0.5}, .C = 10}
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"

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
void at_most(V& v, double& max_seconds) {
    v.number("max_seconds", max_seconds, at_least(0), "stop after so long and keep what there is; 0: no limit");
}
// What the five machines that SMO solves have in common.
template <class V>
void when_to_end(V& v, auto& m, const option_needs& shrinks = {}) {
    v.number("tol", m.tol, above(0), "the gap at which training ends");
    at_most(v, m.max_seconds);
    v.whole("max_iter", m.max_iter, -1, "pairs solved at most in each binary problem; -1: no limit");
    v.flag("shrinking", m.shrinking, "set examples aside whose variables will stay at a bound", shrinks);
}
template <class V>
void many_classes(V& v, auto& m) {
    v.choice("multiclass", m.multiclass, {"ovo", "ovr"}, "more than two: each against each, or each against the rest");
}
template <class V>
void epochs(V& v, double& tol, index& max_iter, index& seed) {
    v.number("tol", tol, above(0), "the relative gap at which training ends");
    v.whole("max_iter", max_iter, 1, "passes over the data at most");
    v.whole("seed", seed, 0, "of the order of the examples");
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
    std::string solver = "smo";
    index max_iter = -1, seed = 1;
    bool shrinking = true;

    static method_facts facts() {
        return {"svc",
                {"svm", "c_svc"},
                method_family::classification,
                "support vector classification",
                "min ½‖w‖² + C Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= 1-ξᵢ",
                detail::svm_format,
                answer::classes,
                true,
                true,
                false,
                false,
                many_at_once::prices};
    }
    template <class V>
    void options(V& v) {
        detail::price_of_errors(v, C);
        const option_needs smo{{"solver", {"smo"}}};
        detail::when_to_end(v, *this, smo);
        detail::many_classes(v, *this);
        v.choice("solver", solver, {"smo", "interior_point", "primal_qp", "kernel_pegasos"},
                 "the dual by SMO or as a quadratic program, the primal as one (linear kernel), or stochastic descent");
        v.flag("probability", probability, "probabilities as well, by cross-validation", smo);
        v.whole("seed", seed, 0, "of the parts of that cross-validation, of stochastic descent",
                option_needs{{"probability", {"true"}, {{"solver", {"kernel_pegasos"}}}}});
    }
};

struct nu_svc {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double nu = 0.5;
    double tol = 1e-3, max_seconds = 0;
    std::string multiclass = "ovo";
    bool probability = false;
    index max_iter = -1, seed = 1;
    bool shrinking = true;

    static method_facts facts() {
        return {"nu_svc",
                {},
                method_family::classification,
                "support vector classification with a bound on the errors",
                "min ½‖w‖² - νρ + (1/n) Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= ρ-ξᵢ",
                detail::svm_format,
                answer::classes};
    }
    template <class V>
    void options(V& v) {
        detail::share_of_errors(v, nu);
        detail::when_to_end(v, *this);
        detail::many_classes(v, *this);
        v.flag("probability", probability, "probabilities as well, by cross-validation");
        v.whole("seed", seed, 0, "of the parts of that cross-validation", option_needs{{"probability", {"true"}}});
    }
};

struct svr {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1, epsilon = 0.1;
    double tol = 1e-3, max_seconds = 0;
    index max_iter = -1;
    bool shrinking = true;

    static method_facts facts() {
        return {"svr",
                {"epsilon_svr"},
                method_family::regression,
                "support vector regression",
                "min ½‖w‖² + C Σξᵢ, |yᵢ-f(xᵢ)| <= ε+ξᵢ",
                detail::svm_format,
                answer::values,
                true,
                true,
                false,
                false,
                many_at_once::prices};
    }
    template <class V>
    void options(V& v) {
        detail::price_of_errors(v, C);
        v.number("epsilon", epsilon, at_least(0), "half the width of the tube in which errors cost nothing");
        detail::when_to_end(v, *this);
    }
};

struct nu_svr {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1, nu = 0.5;
    double tol = 1e-3, max_seconds = 0;
    index max_iter = -1;
    bool shrinking = true;

    static method_facts facts() {
        return {"nu_svr",
                {},
                method_family::regression,
                "support vector regression that finds the width of its tube",
                "as svr, with about νn examples outside the tube",
                detail::svm_format,
                answer::values};
    }
    template <class V>
    void options(V& v) {
        detail::price_of_errors(v, C);
        detail::share_of_errors(v, nu);
        detail::when_to_end(v, *this);
    }
};

struct one_class {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double nu = 0.5;
    double tol = 1e-3, max_seconds = 0;
    index max_iter = -1;
    bool shrinking = true;

    static method_facts facts() {
        return {"one_class",
                {"one_class_svm"},
                method_family::outliers,
                "the region that holds most of the objects",
                "min ½‖w‖² - ρ + 1/(νn) Σξᵢ, wᵀφ(xᵢ) >= ρ-ξᵢ",
                detail::svm_format,
                answer::none};
    }
    template <class V>
    void options(V& v) {
        detail::share_of_errors(v, nu);
        detail::when_to_end(v, *this);
    }
};

struct linear_svc {
    std::optional<mercer::kernel> kernel{};  // with explicit features; none: vectors as they are
    std::string scale{};
    double C = 1;
    std::string loss = "squared_hinge", penalty = "l2";
    bool fit_intercept = true;
    double intercept_scaling = 1;
    double tol = 1e-4, max_seconds = 0;
    index max_iter = 1000, seed = 1;

    static method_facts facts() {
        return {"linear_svc",
                {},
                method_family::classification,
                "linear support vector classification by coordinate descent",
                "min ½‖w‖² + C Σξᵢ², yᵢwᵀ(xᵢ, s) >= 1-ξᵢ, each class against the rest",
                detail::svm_format,
                answer::classes,
                false,
                true,
                false,
                true};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "price of an error");
        v.choice("loss", loss, {"squared_hinge", "hinge"}, "ξ² or ξ");
        v.choice("penalty", penalty, {"l2", "l1"}, "½‖w‖², or ‖w‖₁, which leaves features out",
                 option_needs{{"loss", {"squared_hinge"}}});
        v.flag("fit_intercept", fit_intercept,
               "with an offset: the weight of one more coordinate, penalised like the others");
        v.number("intercept_scaling", intercept_scaling, above(0), "s, the value of that coordinate",
                 option_needs{{"fit_intercept", {"true"}}});
        detail::epochs(v, tol, max_iter, seed);
        detail::at_most(v, max_seconds);
    }
};

struct pegasos {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    index batch_size = 1;
    bool projection = false, average = true, fit_intercept = true;
    double tol = 1e-2, max_seconds = 0;
    index max_iter = 1000, seed = 1;

    static method_facts facts() {
        return {"pegasos",
                {},
                method_family::classification,
                "support vector classification by stochastic subgradient steps",
                "min ½‖w‖² + C Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= 1-ξᵢ, each class against the rest",
                detail::svm_format,
                answer::classes};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "price of an error");
        v.whole("batch_size", batch_size, 1, "examples a step");
        v.flag("projection", projection, "onto the ball that holds the optimum, after each step; linear kernel only");
        v.flag("average", average, "the answer is the mean over the steps, else the last one");
        v.flag("fit_intercept", fit_intercept, "with an offset b, not penalised");
        detail::epochs(v, tol, max_iter, seed);
        detail::at_most(v, max_seconds);
    }
};

}  // namespace mercer
