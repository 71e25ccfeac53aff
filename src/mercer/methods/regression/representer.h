// Any convex loss in the space of any kernel, on any kind of object:
//
//     min Σ wᵢℓ(yᵢ, f(xᵢ)) + λ/2 ‖f - b‖²,     f(x) = Σαᵢk(xᵢ, x) + b        (solve_representer.h; the losses:
//     solvers/newton/loss.h)
//
// Squared loss without an offset is kernel ridge regression, logistic loss kernel logistic regression, the hinge a
// support vector machine with C = 1/λ, ε-insensitive support vector regression, quantile loss kernel quantile
// regression; Huber's resists outliers, Poisson's is for counts. A user's own loss is given by its value and two
// derivatives.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"
#include "mercer/solvers/newton/solve_representer.h"

namespace mercer {

namespace detail {
template <class V>
void newton_steps(V& v, double& tol, index& max_iter) {
    v.number("tol", tol, above(0), "of the gap, relative to the objective");
    v.whole("max_iter", max_iter, 1, "Newton steps at most");
}
}  // namespace detail

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

struct representer_fit_options {
    double alpha = 1;  // λ, 0 < λ < infinity
    bool fit_intercept = false;
    double tol = 1e-6;   // of the gap, relative to the objective
    int max_iter = 500;  // Newton steps
    newton_system system = newton_system::automatic;
    std::vector<double> sample_weight;  // empty: all 1. 2 = the example twice, 0 = absent
    std::size_t memory_bytes =
        std::size_t{1} << 30;  // the kernel matrix is kept where it takes at most this, else computed again and again
    progress_callback progress{};  // Newton steps, and the gap
};

struct representer_model {
    kernel_expansion f;
    loss of;  // a user's loss is loaded without its functions: prediction does not need them
    double alpha = 1;
    fit_status status = fit_status::converged;
    double objective = 0, gap = 0;
    int rounds = 0;
};

representer_model fit_representer(const kernel& k, const dataset& x, std::span<const double> y, const loss& l,
                                  const representer_fit_options& options = {});
representer_model fit_representer_precomputed(matrix_view<const double> K, std::span<const double> y, const loss& l,
                                              const representer_fit_options& options = {});

// f(x): the value for regression, of logistic and hinge losses the decision value, of Poisson's the logarithm of the
// mean.
std::vector<double> decide(const representer_model& model, const dataset& x);
std::vector<double> decide_precomputed(const representer_model& model, matrix_view<const double> K);
// The sign (1 at 0) for losses on ±1, e^f for Poisson's, f otherwise.
std::vector<double> predict(const representer_model& model, const dataset& x);
std::vector<double> predict_precomputed(const representer_model& model, matrix_view<const double> K);

namespace api {

// What both kinds of model say of their optimum.
template <class Model>
class loss_fitted : public fitted_as<Model> {
public:
    using fitted_as<Model>::fitted_as;
    figures about() const override {
        const Model& m = this->m_;
        figures out;
        if constexpr (requires { m.of; }) out.add("loss", name(m.of.kind));
        out.add({{"status", name(m.status)},
                 {"gap", m.gap},
                 {"objective", m.objective},
                 {"rounds", m.rounds},
                 {"training_size", m.f.training_size}});
        return out;
    }
    std::string trouble() const override {
        return trouble_of(this->m_.status, "max_iter, or take a larger tol", this->m_.gap);
    }
};

method representer_method();

}  // namespace api

}  // namespace mercer
