// Regression and classification with any convex loss ℓ and any kernel, on any kind of object:
//
//     min Σ wᵢℓ(yᵢ, f(xᵢ)) + λ/2 ‖f - b‖²,     f(x) = Σαᵢk(xᵢ, x) + b
//
// The losses are in solvers/newton/loss.h, the solver in solvers/newton/solve_representer.h. Squared loss without an
// offset is kernel ridge regression, logistic loss kernel logistic regression, hinge loss a support vector machine with
// C = 1/λ, ε-insensitive loss support vector regression and quantile loss kernel quantile regression. Huber's loss is
// robust against outliers, Poisson's is for counts. A user-defined loss consists of its value and its first two
// derivatives.
//
// Example:
//
//     const double numbers[] = {0, 1, 2, 3, 4}, targets[] = {0, 1, 2, 3, 100};  // the last target is an outlier
//     const dataset x = dense<double>({numbers, 5, 1});
//     const representer_model m =
//         fit_representer(linear{}, x, targets, loss::huber(0.1), {.alpha = 1e-3, .fit_intercept = true});
//     assert(std::abs(predict(m, x)[2] - 2) < 0.5);
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
    v.number("tol", tol, above(0), option_text::relative_gap);
    v.integer("max_iter", max_iter, 1, "maximum number of Newton steps");
}
}  // namespace detail

// The method representer as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct representer {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    std::string loss = "squared";
    double alpha = 1, delta = 1.35, tau = 0.5, epsilon = 0.1;
    bool fit_intercept = false;
    double tol = 1e-6;
    index max_iter = 500;

    static method_info info() {
        return {"representer",
                {"losses"},
                method_family::regression,
                "kernel regression with a convex loss: Huber, quantile, Poisson and others",
                "min Σ ℓ(yᵢ, f(xᵢ)) + α/2 ‖f‖²",
                "mercer-representer-model",
                target_kind::values};
    }
    template <class V>
    void options(V& v) {
        v.choice(
            "loss", loss,
            {"squared", "huber", "quantile", "epsilon_insensitive", "poisson", "logistic", "hinge", "squared_hinge"},
            "loss function ℓ; logistic, hinge and squared_hinge need targets -1 and 1");
        v.number("alpha", alpha, above(0), option_text::penalty);
        v.number("delta", delta, above(0), "residual δ from which the Huber loss is linear instead of squared",
                 option_requirements{{"loss", {"huber"}}});
        v.number("tau", tau, below(above(0), 1), "quantile τ that is predicted; 0.5: the median",
                 option_requirements{{"loss", {"quantile"}}});
        v.number("epsilon", epsilon, at_least(0), option_text::half_width,
                 option_requirements{{"loss", {"epsilon_insensitive"}}});
        v.flag("fit_intercept", fit_intercept, option_text::intercept);
        detail::newton_steps(v, tol, max_iter);
    }
};

// Options of fit_representer().
struct representer_fit_options {
    double alpha = 1;  // λ, 0 < λ < infinity
    bool fit_intercept = false;
    double tol = 1e-6;   // maximum duality gap, relative to the objective
    int max_iter = 500;  // maximum number of Newton steps
    newton_system system = newton_system::automatic;
    // One weight per example: weight 2 counts an example twice, weight 0 leaves it out. Empty: all weights are 1.
    std::vector<double> sample_weight;
    // The kernel matrix is stored if it takes at most this; otherwise it is computed again for every product.
    std::size_t memory_bytes = std::size_t{1} << 30;
    progress_callback progress{};  // reports the Newton steps and the duality gap
};

// The result of fit_representer(): the function f, its loss and how the fit ended.
struct representer_model {
    kernel_expansion f;
    loss loss_function;  // a user-defined loss is loaded without its functions, which prediction does not need
    double alpha = 1;
    fit_status status = fit_status::converged;
    double objective = 0, gap = 0;
    int rounds = 0;
};

// Fits to the objects x with the kernel k, or to the n × n kernel matrix K of the examples. y contains one target per
// example, which must be valid for the loss l (±1 for losses on labels, >= 0 for Poisson's). Throws
// errc::invalid_argument if an option is out of range or sizes differ, and errc::data if a value is not finite or a
// target is not valid.
representer_model fit_representer(const kernel& k, const dataset& x, std::span<const double> y, const loss& l,
                                  const representer_fit_options& options = {});
representer_model fit_representer_precomputed(matrix_view<const double> K, std::span<const double> y, const loss& l,
                                              const representer_fit_options& options = {});

// Returns f(x) for each object: for regression losses the predicted value, for logistic and hinge losses the decision
// value, for Poisson's loss the logarithm of the mean.
std::vector<double> decide(const representer_model& model, const dataset& x);
std::vector<double> decide_precomputed(const representer_model& model, matrix_view<const double> K);
// Returns the sign of f (1 at 0) for losses on labels ±1, e^f for Poisson's loss and f for the other losses.
std::vector<double> predict(const representer_model& model, const dataset& x);
std::vector<double> predict_precomputed(const representer_model& model, matrix_view<const double> K);

namespace api {

// The adapter that representer_model and kernel_logistic_model share: their summary and their warning.
template <class Model>
class loss_estimator : public estimator_of<Model> {
public:
    using estimator_of<Model>::estimator_of;
    summary summarise() const override {
        const Model& m = this->m_;
        summary out;
        if constexpr (requires { m.loss_function; }) out.add("loss", name(m.loss_function.kind));
        out.add({{"status", name(m.status)},
                 {"gap", m.gap},
                 {"objective", m.objective},
                 {"rounds", m.rounds},
                 {"training_size", m.f.training_size}});
        return out;
    }
    std::string warning() const override {
        return fit_warning(this->m_.status, "max_iter, or take a larger tol", this->m_.gap);
    }
};

// The entry of representer in the list of methods.
method representer_method();

}  // namespace api

}  // namespace mercer
