#include "mercer/methods/regression/kernel_logistic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method.h"
#include "mercer/methods/training_gram.h"
#include "mercer/solvers/newton/solve_softmax.h"

namespace mercer {
namespace {

constexpr const char* owner = "kernel logistic";

// Returns the sample weights multiplied by the weights of the classes.
std::vector<double> combine_weights(const kernel_logistic_options& o, std::span<const double> y) {
    std::vector<double> weight = checked_weights(owner, static_cast<index>(y.size()), o.sample_weight);
    for (const auto& [label, factor] : o.class_weight) {
        if (!(factor > 0) || !std::isfinite(factor))
            fail(errc::invalid_argument,
                 fmt::format("kernel logistic: the weight of class {} must satisfy 0 < weight < infinity, got {}",
                             label, factor));
        for (std::size_t i = 0; i < y.size(); ++i)
            if (y[i] == label) weight[i] *= factor;
    }
    return weight;
}

void check(const kernel_logistic_options& o, index n, std::span<const double> y) {
    if (!(o.C > 0) || !std::isfinite(o.C))
        fail(errc::invalid_argument, fmt::format("kernel logistic: must satisfy 0 < C < infinity, got {}", o.C));
    if (!(o.tol > 0)) fail(errc::invalid_argument, fmt::format("kernel logistic: must satisfy tol > 0, got {}", o.tol));
    if (o.max_iter < 1)
        fail(errc::invalid_argument, fmt::format("kernel logistic: must satisfy max_iter >= 1, got {}", o.max_iter));
    check_targets(owner, n, matrix_view<const double>(y.data(), static_cast<index>(y.size()), 1));
}

// Returns a hash of everything that determines the iteration; a checkpoint with another hash is an error.
std::uint64_t mark_of(const gram<double>& K, const std::vector<double>& labels, const std::vector<double>& weights,
                      const kernel_logistic_options& o) {
    problem_hash mark;
    mark.add("kernel_logistic").add(o.C).add(o.fit_intercept ? 1.0 : 0.0).add(o.tol).add(o.max_iter);
    mark.add(static_cast<double>(o.memory_bytes));  // the budget determines the preconditioner
    return mark.add(labels).add(weights).add(kernel_fingerprint(K)).value();
}

kernel_logistic_model solve(const gram<double>& K, std::span<const double> y, const std::vector<double>& weight,
                            std::vector<index> used, const kernel_logistic_options& o) {
    kernel_logistic_model model;
    model.C = o.C;
    std::vector<double> labels, weights;
    for (const index row : used)
        labels.push_back(y[static_cast<std::size_t>(row)]), weights.push_back(weight[static_cast<std::size_t>(row)]);
    model.classes = labels;
    std::sort(model.classes.begin(), model.classes.end());
    model.classes.erase(std::unique(model.classes.begin(), model.classes.end()), model.classes.end());
    if (model.classes.size() < 2)
        fail(errc::data,
             fmt::format("kernel logistic: at least two classes are needed, the {} examples all have label {}",
                         labels.size(), labels.front()));
    representer_options s;
    s.lambda = 1 / o.C;
    s.intercept = o.fit_intercept;
    s.tol = o.tol;
    s.max_rounds = o.max_iter;
    s.memory_bytes = o.memory_bytes;
    if (o.progress)
        s.progress = [&](int rounds, double, double gap) { return o.progress({"Newton steps", rounds, 0, gap}); };
    checkpoint_file keeper(o.checkpoint, mark_of(K, labels, weights, o), nullptr);
    if (auto state = keeper.read()) s.start = std::move(*state);
    if (!o.checkpoint.path.empty()) s.keep = [&](const std::vector<double>& state) { keeper.keep(state); };
    const auto report = [&](const auto& found) {
        if (found.status != fit_status::cancelled) keeper.remove();
        model.status = found.status;
        model.objective = found.objective;
        model.gap = found.gap;
        model.rounds = found.rounds;
    };
    if (model.classes.size() == 2) {
        for (double& each : labels) each = each == model.classes[1] ? 1.0 : -1.0;
        const representer_result found = solve_representer(K, labels, weights, loss::logistic(), s);
        report(found);
        model.f.coef = matrix<double>(K.rows(), 1);
        std::copy(found.alpha.begin(), found.alpha.end(), model.f.coef.data());
        model.f.offset = {found.offset};
    } else {
        std::vector<index> number;
        for (const double each : labels)
            number.push_back(std::lower_bound(model.classes.begin(), model.classes.end(), each) -
                             model.classes.begin());
        softmax_result found = solve_softmax(K, number, static_cast<index>(model.classes.size()), weights, s);
        report(found);
        model.f.coef = std::move(found.alpha);
        model.f.offset = std::move(found.offset);
    }
    model.f.rows = std::move(used);
    model.f.training_size = static_cast<index>(y.size());
    return model;
}

}  // namespace

kernel_logistic_model fit_kernel_logistic(const kernel& k, const dataset& x, std::span<const double> y,
                                          const kernel_logistic_options& options) {
    check(options, x.size(), y);
    const std::vector<double> weight = combine_weights(options, y);
    require_finite(x);
    const std::vector<index> used = positive_indices(weight);
    const dataset objects = gather(x, std::span<const index>(used));
    kernel_logistic_model model = solve(*training_gram(k, objects, options.memory_bytes), y, weight, used, options);
    // Without a proof that the kernel is positive semidefinite the problem need not be convex, and a point that
    // satisfies the first-order conditions need not be the minimum.
    if (!k.proof().valid && model.status == fit_status::converged) model.status = fit_status::stationary;
    model.f.k = std::make_shared<const kernel>(k);
    model.f.x = objects;
    return model;
}

kernel_logistic_model fit_kernel_logistic_precomputed(matrix_view<const double> K, std::span<const double> y,
                                                      const kernel_logistic_options& options) {
    require_finite(K, "kernel logistic: a precomputed kernel matrix");
    require_symmetric(K, "kernel logistic: a precomputed kernel matrix");
    check(options, K.rows, y);
    const std::vector<double> weight = combine_weights(options, y);
    const std::vector<index> used = positive_indices(weight);
    const precomputed<double> all(K);
    if (static_cast<index>(used.size()) == K.rows) return solve(all, y, weight, used, options);
    return solve(subset<double>(all, used), y, weight, used, options);
}

matrix<double> decide(const kernel_logistic_model& model, const dataset& x) { return model.f.values(x); }
matrix<double> decide_precomputed(const kernel_logistic_model& model, matrix_view<const double> K) {
    return model.f.values(K);
}

matrix<double> probabilities(const kernel_logistic_model& model, matrix_view<const double> decisions) {
    if (decisions.cols != model.f.functions())
        fail(errc::invalid_argument, fmt::format("kernel logistic: decisions must have {} columns, got {}",
                                                 model.f.functions(), decisions.cols));
    const index classes = static_cast<index>(model.classes.size());
    matrix<double> p(decisions.rows, classes);
    for (index i = 0; i < decisions.rows; ++i) {
        if (classes == 2) {
            const double f = decisions(i, 0), e = std::exp(-std::abs(f)), small = e / (1 + e), large = 1 / (1 + e);
            p(i, 0) = f > 0 ? small : large;
            p(i, 1) = f > 0 ? large : small;
        } else {
            softmax(std::span<const double>(decisions.row(i), static_cast<std::size_t>(classes)),
                    std::span<double>(p.row(i), static_cast<std::size_t>(classes)));
        }
    }
    return p;
}

std::vector<double> predict(const kernel_logistic_model& model, matrix_view<const double> decisions) {
    if (decisions.cols != model.f.functions())
        fail(errc::invalid_argument, fmt::format("kernel logistic: decisions must have {} columns, got {}",
                                                 model.f.functions(), decisions.cols));
    std::vector<double> out;
    for (index i = 0; i < decisions.rows; ++i) {
        const double* const f = decisions.row(i);
        out.push_back(model.classes[static_cast<std::size_t>(
            model.classes.size() == 2 ? f[0] > 0 : std::max_element(f, f + decisions.cols) - f)]);
    }
    return out;
}

std::vector<double> predict(const kernel_logistic_model& model, const dataset& x) {
    return predict(model, decide(model, x).view());
}

template <>
struct file_form<kernel_logistic_model> {
    static constexpr std::string_view format = "mercer-kernel-logistic-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.status(m.status);
        a.integer("rounds", m.rounds);
        a.numbers(m.C, m.objective, m.gap);
        a.list("classes", m.classes, 1 << 24);
        a.check_finite(m.classes, "a class label");
        a.part(m.f);
        const auto classes = std::ssize(m.classes);
        a.check(classes >= 2 && m.f.functions() == (classes == 2 ? 1 : classes), "{} classes, but {} outputs", classes,
                m.f.functions());
    }
};
template struct model_file<kernel_logistic_model>;

namespace api {
namespace {

class logistic_estimator final : public loss_estimator<kernel_logistic_model> {
public:
    using loss_estimator::loss_estimator;
    target_kind prediction_kind() const override { return target_kind::classes; }
    matrix<double> decide(const examples& x) const override {
        return x.visit([&](const dataset& some) { return mercer::decide(m_, some); },
                       [&](const auto& K) { return decide_precomputed(m_, K); });
    }
    std::vector<double> predict(const examples& x) const override { return mercer::predict(m_, decide(x).view()); }
    matrix<double> probabilities(const examples& x) const override {
        return mercer::probabilities(m_, decide(x).view());
    }
    columns details(const examples& x) const override { return {probabilities(x), label_names("p", m_.classes)}; }
    detailed_predictions predict_with_details(const examples& x) const override {
        const matrix<double> f = decide(x);
        return {mercer::predict(m_, f.view()), {mercer::probabilities(m_, f.view()), label_names("p", m_.classes)}};
    }
};

estimator_ptr make_logistic(const kernel_logistic& m, const fit_call& t) {
    const auto o = t.common<kernel_logistic_options>(m);
    return t.made<logistic_estimator>(
        t.x.visit([&](const dataset& x) { return fit_kernel_logistic(*t.k, x, t.targets(), o); },
                  [&](const auto& K) { return fit_kernel_logistic_precomputed(K, t.targets(), o); }));
}

}  // namespace

method kernel_logistic_method() { return entry<kernel_logistic, logistic_estimator>(make_logistic); }

}  // namespace api

}  // namespace mercer
