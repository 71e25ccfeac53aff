#include "mercer/methods/regression/representer.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method.h"
#include "mercer/methods/training_gram.h"

namespace mercer {
namespace {

constexpr const char* representer_owner = "representer";

// K is the kernel matrix of the examples of positive weight, whose rows are `used`.
representer_model solve(const gram<double>& K, std::span<const double> y, const std::vector<double>& weight,
                        const std::vector<index>& used, const loss& l, const representer_fit_options& o) {
    std::vector<double> targets, weights;
    for (const index row : used)
        targets.push_back(y[static_cast<std::size_t>(row)]), weights.push_back(weight[static_cast<std::size_t>(row)]);
    representer_options s;
    s.lambda = o.alpha;
    s.intercept = o.fit_intercept;
    s.tol = o.tol;
    s.max_rounds = o.max_iter;
    s.system = o.system;
    s.memory_bytes = o.memory_bytes;
    if (o.progress)
        s.progress = [&](int rounds, double, double gap) { return o.progress({"Newton steps", rounds, 0, gap}); };
    const representer_result found = solve_representer(K, targets, weights, l, s);
    representer_model model;
    model.loss_function = l;
    model.alpha = o.alpha;
    model.status = found.status;
    model.objective = found.objective;
    model.gap = found.gap;
    model.rounds = found.rounds;
    for (std::size_t i = 0; i < used.size(); ++i)
        if (found.alpha[i] != 0) model.f.rows.push_back(used[i]);
    model.f.coef = matrix<double>(static_cast<index>(model.f.rows.size()), 1);
    for (std::size_t i = 0, at = 0; i < used.size(); ++i)
        if (found.alpha[i] != 0) model.f.coef(static_cast<index>(at++), 0) = found.alpha[i];
    model.f.offset = {found.offset};
    model.f.training_size = static_cast<index>(y.size());
    return model;
}

void check(const representer_fit_options& o, index n, std::span<const double> y) {
    if (!(o.alpha > 0) || !std::isfinite(o.alpha))
        fail(errc::invalid_argument, fmt::format("representer: must satisfy 0 < alpha < infinity, got {}", o.alpha));
    if (o.max_iter < 1)
        fail(errc::invalid_argument, fmt::format("representer: must satisfy max_iter >= 1, got {}", o.max_iter));
    check_targets(representer_owner, n, matrix_view<const double>(y.data(), static_cast<index>(y.size()), 1));
}

std::vector<double> column(const matrix<double>& f) { return {f.data(), f.data() + f.rows()}; }

std::vector<double> to_predictions(const loss& l, std::vector<double> f) {
    for (double& each : f) {
        if (l.has_labels()) each = each >= 0 ? 1.0 : -1.0;
        if (l.kind == loss_kind::poisson) each = std::exp(each);
    }
    return f;
}

}  // namespace

representer_model fit_representer(const kernel& k, const dataset& x, std::span<const double> y, const loss& l,
                                  const representer_fit_options& options) {
    check(options, x.size(), y);
    const std::vector<double> weight = checked_weights(representer_owner, x.size(), options.sample_weight);
    require_finite(x);
    const std::vector<index> used = positive_indices(weight);
    const auto K =
        training_gram(k, static_cast<index>(used.size()) == x.size() ? x : gather(x, std::span<const index>(used)),
                      options.memory_bytes);
    representer_model model = solve(*K, y, weight, used, l, options);
    // Without a proof that the kernel is positive semidefinite the problem need not be convex, and a point that
    // satisfies the first-order conditions need not be the minimum.
    if (!k.proof().valid && model.status == fit_status::converged) model.status = fit_status::stationary;
    model.f.k = std::make_shared<const kernel>(k);
    model.f.x = gather(x, std::span<const index>(model.f.rows));
    return model;
}

representer_model fit_representer_precomputed(matrix_view<const double> K, std::span<const double> y, const loss& l,
                                              const representer_fit_options& options) {
    require_finite(K, "representer: a precomputed kernel matrix");
    require_symmetric(K, "representer: a precomputed kernel matrix");
    check(options, K.rows, y);
    const std::vector<double> weight = checked_weights(representer_owner, K.rows, options.sample_weight);
    const precomputed<double> all(K);
    const std::vector<index> used = positive_indices(weight);
    if (static_cast<index>(used.size()) == K.rows) return solve(all, y, weight, used, l, options);
    return solve(subset<double>(all, used), y, weight, used, l, options);
}

std::vector<double> decide(const representer_model& model, const dataset& x) { return column(model.f.values(x)); }
std::vector<double> decide_precomputed(const representer_model& model, matrix_view<const double> K) {
    return column(model.f.values(K));
}
std::vector<double> predict(const representer_model& model, const dataset& x) {
    return to_predictions(model.loss_function, decide(model, x));
}
std::vector<double> predict_precomputed(const representer_model& model, matrix_view<const double> K) {
    return to_predictions(model.loss_function, decide_precomputed(model, K));
}

template <>
struct file_form<representer_model> {
    static constexpr std::string_view format = "mercer-representer-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.choice("loss", m.loss_function.kind, loss_kind::user);
        a.status(m.status);
        a.integer("rounds", m.rounds);
        a.numbers(m.loss_function.parameter, m.alpha, m.objective, m.gap);
        a.part(m.f);
        a.check(m.f.functions() == 1, "expected one output, got {}", m.f.functions());
    }
};
template struct model_file<representer_model>;

namespace api {
namespace {

class representer_estimator final : public loss_estimator<representer_model> {
public:
    using loss_estimator::loss_estimator;
    // Losses on ±1 need the labels -1 and 1 themselves.
    target_kind prediction_kind() const override {
        return m_.loss_function.has_labels() ? target_kind::classes : target_kind::values;
    }
    std::vector<double> classes() const override {
        return m_.loss_function.has_labels() ? std::vector<double>{-1, 1} : std::vector<double>{};
    }
    std::vector<double> predict(const examples& x) const override {
        return x.visit([&](const dataset& some) { return mercer::predict(m_, some); },
                       [&](const auto& K) { return predict_precomputed(m_, K); });
    }
    matrix<double> decide(const examples& x) const override {
        return as_column(x.visit([&](const dataset& some) { return mercer::decide(m_, some); },
                                 [&](const auto& K) { return decide_precomputed(m_, K); }));
    }
    columns details(const examples& x) const override { return {decide(x), {"decision"}}; }
};

loss make_loss(const representer& m) {
    if (m.loss == "huber") return loss::huber(m.delta);
    if (m.loss == "quantile") return loss::quantile(m.tau);
    if (m.loss == "epsilon_insensitive") return loss::epsilon_insensitive(m.epsilon);
    if (m.loss == "poisson") return loss::poisson();
    if (m.loss == "logistic") return loss::logistic();
    if (m.loss == "hinge") return loss::hinge();
    if (m.loss == "squared_hinge") return loss::squared_hinge();
    return loss::squared();
}

estimator_ptr make_representer(const representer& m, const fit_call& t) {
    const auto o = t.common<representer_fit_options>(m);
    const loss l = make_loss(m);
    return t.made<representer_estimator>(
        t.x.visit([&](const dataset& x) { return fit_representer(*t.k, x, t.targets(), l, o); },
                  [&](const auto& K) { return fit_representer_precomputed(K, t.targets(), l, o); }));
}

}  // namespace

method representer_method() { return entry<representer, representer_estimator>(make_representer); }

}  // namespace api

}  // namespace mercer
