// Regression, and classification by convex losses, as values: ridge, kernel_ridge, kernel_logistic, representer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"

namespace mercer {
namespace detail {

inline constexpr const char* lambda = "λ, the price of large coefficients";
inline constexpr const char* several_lambdas = "several λ: the best by `score` is kept";
template <class V>
void newton_steps(V& v, double& tol, index& max_iter) {
    v.number("tol", tol, above(0), "of the gap, relative to the objective");
    v.whole("max_iter", max_iter, 1, "Newton steps at most");
}

}  // namespace detail

struct ridge {
    std::string scale{};
    double alpha = 1;
    std::vector<double> alphas{};
    std::string score = "loo";
    bool fit_intercept = true;
    std::string form = "cheaper";

    static method_facts facts() {
        return {"ridge",
                {},
                method_family::regression,
                "ridge regression on vectors",
                "min Σ(yᵢ - βᵀxᵢ - b)² + λ‖β‖²",
                "mercer-ridge-model",
                answer::values,
                false};
    }
    template <class V>
    void options(V& v) {
        v.number("alpha", alpha, at_least(0), detail::lambda, option_needs{{"alphas", {""}}});
        v.numbers("alphas", alphas, above(0), detail::several_lambdas);
        v.choice("score", score, {"loo", "gcv"}, "how λ is chosen: leave-one-out or generalised cross-validation",
                 option_needs{{"alphas"}});
        v.flag("fit_intercept", fit_intercept, "with an offset b");
        v.choice("form", form, {"cheaper", "primal", "dual"}, "which equations are solved");
    }
};

struct kernel_ridge {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double alpha = 1;
    std::vector<double> alphas{}, output_alphas{};
    std::string score = "gcv";
    bool loo = false, variance = false;
    std::string solver = "automatic";
    double tol = 1e-10;
    index max_products = 1000;

    static method_facts facts() {
        return with_checkpoints({"kernel_ridge",
                                 {"krr"},
                                 method_family::regression,
                                 "kernel ridge regression",
                                 "min Σ(yᵢ - f(xᵢ))² + λ‖f‖²",
                                 "mercer-kernel-ridge-model",
                                 answer::values,
                                 true,
                                 true,
                                 false,
                                 false,
                                 many_at_once::ridges},
                                "solver=cg");
    }
    template <class V>
    void options(V& v) {
        const option_needs one_lambda{{"alphas", {""}}};
        v.number("alpha", alpha, at_least(0), detail::lambda, option_needs{{"alphas", {""}}, {"output_alphas", {""}}});
        v.numbers("alphas", alphas, at_least(0), detail::several_lambdas);
        v.numbers("output_alphas", output_alphas, at_least(0), "one λ for each column of targets", one_lambda);
        v.choice("score", score, {"gcv", "loo"}, "how λ is chosen: generalised cross-validation or leave-one-out",
                 option_needs{{"alphas"}});
        const option_needs decomposed{{"solver", {"automatic", "direct"}}};
        v.flag("loo", loo, "leave-one-out error as well", decomposed);
        v.flag("variance", variance, "keep what variances of predictions need", decomposed);
        v.choice("solver", solver, {"automatic", "direct", "cg"},
                 "a decomposition, or conjugate gradients without n² numbers in memory; automatic: what fits",
                 one_lambda);
        const option_needs iterated{{"solver", {"cg", "automatic"}}, {"alphas", {""}}};
        v.number("tol", tol, above(0), "cg: ‖y - (K + λI)α‖ <= tol·‖y‖", iterated);
        v.whole("max_products", max_products, 1, "cg: products with K at most", iterated);
    }
};

struct kernel_logistic {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    bool fit_intercept = true;
    double tol = 1e-6;
    index max_iter = 500;

    static method_facts facts() {
        return with_checkpoints({"kernel_logistic",
                                 {"logistic", "klr"},
                                 method_family::classification,
                                 "kernel logistic regression: classes with probabilities",
                                 "min Σ log(1 + e^(-yᵢf(xᵢ))) + 1/(2C) ‖f‖²",
                                 "mercer-kernel-logistic-model",
                                 answer::classes});
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "1/λ");
        v.flag("fit_intercept", fit_intercept, "with an offset");
        detail::newton_steps(v, tol, max_iter);
    }
};

struct representer {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    std::string loss = "squared";
    double alpha = 1, delta = 1.35, tau = 0.5, epsilon = 0.1;
    bool fit_intercept = false;
    double tol = 1e-6;
    index max_iter = 500;

    static method_facts facts() {
        return {"representer",
                {"losses"},
                method_family::regression,
                "any convex loss: robust, quantile and Poisson regression, ...",
                "min Σ ℓ(yᵢ, f(xᵢ)) + λ/2 ‖f‖²",
                "mercer-representer-model",
                answer::values};
    }
    template <class V>
    void options(V& v) {
        v.choice(
            "loss", loss,
            {"squared", "huber", "quantile", "epsilon_insensitive", "poisson", "logistic", "hinge", "squared_hinge"},
            "ℓ; the last three are for targets -1 and 1");
        v.number("alpha", alpha, above(0), "λ");
        v.number("delta", delta, above(0), "huber: where the square ends", option_needs{{"loss", {"huber"}}});
        v.number("tau", tau, below(above(0), 1), "quantile: which", option_needs{{"loss", {"quantile"}}});
        v.number("epsilon", epsilon, at_least(0), "epsilon_insensitive: what costs nothing",
                 option_needs{{"loss", {"epsilon_insensitive"}}});
        v.flag("fit_intercept", fit_intercept, "with an offset");
        detail::newton_steps(v, tol, max_iter);
    }
};

}  // namespace mercer
