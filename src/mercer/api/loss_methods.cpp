// Convex losses in the space of a kernel as methods: kernel_logistic, and representer with a loss by name.
#include <fmt/format.h>

#include "mercer/api/method.h"
#include "mercer/estimators/kernel_logistic.h"
#include "mercer/estimators/representer_model.h"

namespace mercer::api {
namespace {

// What both kinds of model say of their optimum.
void add_optimum(figures& out, const auto& m) {
    out.add("status", name(m.status));
    out.add("gap", m.gap);
    out.add("objective", m.objective);
    out.add("rounds", m.rounds);
    out.add("training_size", std::int64_t{m.f.training_size});
}

std::string trouble_of(representer_status end) {
    switch (end) {
        case representer_status::converged: return {};
        case representer_status::stationary: return not_definite;
        case representer_status::stalled: return "not converged: rounding leaves no further progress; scale the data, or take a larger tol, with --set";
        case representer_status::limit:
        case representer_status::cancelled: break;
    }
    return fmt::format("not converged ({}): raise max_iter, or take a larger tol, with --set", name(end));
}

class logistic_fitted final : public fitted {
public:
    explicit logistic_fitted(kernel_logistic_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return kernel_logistic_bytes(m_); }
    std::string kernel_text() const override { return m_.f.kernel_text(); }
    answer gives() const override { return answer::classes; }
    std::vector<double> predict(const dataset& x) const override { return mercer::predict(m_, x); }
    std::vector<double> classes() const override { return m_.classes; }
    columns details(const dataset& x) const override { return {probabilities(m_, decide(m_, x).view()), label_names("p", m_.classes)}; }
    figures about() const override {
        figures out;
        add_optimum(out, m_);
        return out;
    }

    std::string trouble() const override { return trouble_of(m_.status); }

private:
    kernel_logistic_model m_;
};

std::shared_ptr<const fitted> make_logistic(const fit_task& t) {
    kernel_logistic_options o;
    o.C = t.options.number("C");
    o.fit_intercept = t.options.flag("fit_intercept");
    o.tol = t.options.number("tol");
    o.max_iter = static_cast<int>(t.options.whole("max_iter"));
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    return std::make_shared<logistic_fitted>(fit_kernel_logistic(*t.k, t.data.x, t.data.y, o));
}

class representer_fitted final : public fitted {
public:
    explicit representer_fitted(representer_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return representer_bytes(m_); }
    std::string kernel_text() const override { return m_.f.kernel_text(); }
    // Losses on ±1 want the labels -1 and 1 themselves.
    answer gives() const override { return m_.of.has_labels() ? answer::classes : answer::values; }
    std::vector<double> predict(const dataset& x) const override { return mercer::predict(m_, x); }
    std::vector<double> classes() const override { return m_.of.has_labels() ? std::vector<double>{-1, 1} : std::vector<double>{}; }
    columns details(const dataset& x) const override { return {one_column(decide(m_, x)), {"decision"}}; }
    figures about() const override {
        figures out;
        out.add("loss", name(m_.of.kind));
        add_optimum(out, m_);
        return out;
    }

    std::string trouble() const override { return trouble_of(m_.status); }

private:
    representer_model m_;
};

loss named_loss(const option_values& options) {
    const std::string& kind = options.choice("loss");
    if (kind == "huber") return loss::huber(options.number("delta"));
    if (kind == "quantile") return loss::quantile(options.number("tau"));
    if (kind == "epsilon_insensitive") return loss::epsilon_insensitive(options.number("epsilon"));
    if (kind == "poisson") return loss::poisson();
    if (kind == "logistic") return loss::logistic();
    if (kind == "hinge") return loss::hinge();
    if (kind == "squared_hinge") return loss::squared_hinge();
    return loss::squared();
}

std::shared_ptr<const fitted> make_representer(const fit_task& t) {
    representer_fit_options o;
    o.alpha = t.options.number("alpha");
    o.fit_intercept = t.options.flag("fit_intercept");
    o.tol = t.options.number("tol");
    o.max_iter = static_cast<int>(t.options.whole("max_iter"));
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    return std::make_shared<representer_fitted>(fit_representer(*t.k, t.data.x, t.data.y, named_loss(t.options), o));
}

}  // namespace

std::vector<method> loss_methods() {
    const option_info tol = number("tol", "1e-06", "of the gap, relative to the objective", 0, true);
    const option_info max_iter = whole("max_iter", "500", "Newton steps at most", 1);
    method logistic{
        "kernel_logistic",
        {"logistic", "klr"},
        method_family::classification,
        "kernel logistic regression: classes with probabilities",
        "min Σ log(1 + e^(-yᵢf(xᵢ))) + 1/(2C) ‖f‖²",
        "mercer-kernel-logistic-model",
        answer::classes,
        true,
        true,
        false,
        {number("C", "1", "1/λ", 0, true), flag("fit_intercept", true, "with an offset"), tol, max_iter},
        make_logistic,
        [](std::string_view bytes, const std::string& file) { return std::make_shared<const logistic_fitted>(parse_kernel_logistic(bytes, file)); }};
    method representer{
        "representer",
        {"losses"},
        method_family::regression,
        "any convex loss: robust, quantile and Poisson regression, ...",
        "min Σ ℓ(yᵢ, f(xᵢ)) + λ/2 ‖f‖²",
        "mercer-representer-model",
        answer::values,
        true,
        true,
        false,
        {choice("loss", {"squared", "huber", "quantile", "epsilon_insensitive", "poisson", "logistic", "hinge", "squared_hinge"},
                "ℓ; the last three are for targets -1 and 1"),
         number("alpha", "1", "λ", 0, true), number("delta", "1.35", "huber: where the square ends", 0, true),
         number("tau", "0.5", "quantile: which", 0, true, 1, true), number("epsilon", "0.1", "epsilon_insensitive: what costs nothing", 0),
         flag("fit_intercept", false, "with an offset"), tol, max_iter},
        make_representer,
        [](std::string_view bytes, const std::string& file) { return std::make_shared<const representer_fitted>(parse_representer(bytes, file)); }};
    return {std::move(logistic), std::move(representer)};
}

}  // namespace mercer::api
