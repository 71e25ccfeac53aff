// Convex losses in the space of a kernel as methods: kernel_logistic, and representer with a loss by name.
#include <fmt/format.h>

#include "mercer/api/described.h"
#include "mercer/methods/regression/kernel_logistic.h"
#include "mercer/methods/regression/methods.h"
#include "mercer/methods/regression/representer_model.h"

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

// What both kinds of model say when they are not at their optimum.
std::string trouble_of(const auto& m) { return api::trouble_of(m.status, "max_iter, or take a larger tol", m.gap); }

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

    std::string trouble() const override { return trouble_of(m_); }

private:
    kernel_logistic_model m_;
};

std::shared_ptr<const fitted> make_logistic(const kernel_logistic& m, const fit_task& t) {
    kernel_logistic_options o;
    o.C = m.C;
    o.fit_intercept = m.fit_intercept;
    o.tol = m.tol;
    o.max_iter = static_cast<int>(m.max_iter);
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

    std::string trouble() const override { return trouble_of(m_); }

private:
    representer_model m_;
};

loss named_loss(const representer& m) {
    if (m.loss == "huber") return loss::huber(m.delta);
    if (m.loss == "quantile") return loss::quantile(m.tau);
    if (m.loss == "epsilon_insensitive") return loss::epsilon_insensitive(m.epsilon);
    if (m.loss == "poisson") return loss::poisson();
    if (m.loss == "logistic") return loss::logistic();
    if (m.loss == "hinge") return loss::hinge();
    if (m.loss == "squared_hinge") return loss::squared_hinge();
    return loss::squared();
}

std::shared_ptr<const fitted> make_representer(const representer& m, const fit_task& t) {
    representer_fit_options o;
    o.alpha = m.alpha;
    o.fit_intercept = m.fit_intercept;
    o.tol = m.tol;
    o.max_iter = static_cast<int>(m.max_iter);
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    return std::make_shared<representer_fitted>(fit_representer(*t.k, t.data.x, t.data.y, named_loss(m), o));
}

}  // namespace

std::vector<method> loss_methods() {
    return {entry<kernel_logistic>(make_logistic, parsed<logistic_fitted, parse_kernel_logistic>),
            entry<representer>(make_representer, parsed<representer_fitted, parse_representer>)};
}

}  // namespace mercer::api
