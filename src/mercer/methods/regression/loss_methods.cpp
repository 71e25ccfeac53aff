// Convex losses in the space of a kernel as methods: kernel_logistic, and representer with a loss by name.
#include "mercer/methods/method.h"
#include "mercer/methods/regression/kernel_logistic.h"
#include "mercer/methods/regression/methods.h"
#include "mercer/methods/regression/representer.h"

namespace mercer::api {
namespace {

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

class logistic_fitted final : public loss_fitted<kernel_logistic_model> {
public:
    using loss_fitted::loss_fitted;
    answer gives() const override { return answer::classes; }
    matrix<double> decide(const examples& x) const override {
        return x.visit([&](const dataset& some) { return mercer::decide(m_, some); },
                       [&](const auto& K) { return decide_precomputed(m_, K); });
    }
    std::vector<double> predict(const examples& x) const override { return mercer::predict(m_, decide(x).view()); }
    matrix<double> probabilities(const examples& x) const override {
        return mercer::probabilities(m_, decide(x).view());
    }
    columns details(const examples& x) const override { return {probabilities(x), label_names("p", m_.classes)}; }
    explained predict_with_details(const examples& x) const override {
        const matrix<double> f = decide(x);
        return {mercer::predict(m_, f.view()), {mercer::probabilities(m_, f.view()), label_names("p", m_.classes)}};
    }
};

fitted_ptr make_logistic(const kernel_logistic& m, const fit_call& t) {
    const auto o = t.common<kernel_logistic_options>(m);
    return t.made<logistic_fitted>(
        t.x.visit([&](const dataset& x) { return fit_kernel_logistic(*t.k, x, t.targets(), o); },
                  [&](const auto& K) { return fit_kernel_logistic_precomputed(K, t.targets(), o); }));
}

class representer_fitted final : public loss_fitted<representer_model> {
public:
    using loss_fitted::loss_fitted;
    // Losses on ±1 want the labels -1 and 1 themselves.
    answer gives() const override { return m_.of.has_labels() ? answer::classes : answer::values; }
    std::vector<double> classes() const override {
        return m_.of.has_labels() ? std::vector<double>{-1, 1} : std::vector<double>{};
    }
    std::vector<double> predict(const examples& x) const override {
        return x.visit([&](const dataset& some) { return mercer::predict(m_, some); },
                       [&](const auto& K) { return predict_precomputed(m_, K); });
    }
    matrix<double> decide(const examples& x) const override {
        return one_column(x.visit([&](const dataset& some) { return mercer::decide(m_, some); },
                                  [&](const auto& K) { return decide_precomputed(m_, K); }));
    }
    columns details(const examples& x) const override { return {decide(x), {"decision"}}; }
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

fitted_ptr make_representer(const representer& m, const fit_call& t) {
    const auto o = t.common<representer_fit_options>(m);
    const loss l = named_loss(m);
    return t.made<representer_fitted>(
        t.x.visit([&](const dataset& x) { return fit_representer(*t.k, x, t.targets(), l, o); },
                  [&](const auto& K) { return fit_representer_precomputed(K, t.targets(), l, o); }));
}

}  // namespace

std::vector<method> loss_methods() {
    return {entry<kernel_logistic, logistic_fitted>(make_logistic),
            entry<representer, representer_fitted>(make_representer)};
}

}  // namespace mercer::api
