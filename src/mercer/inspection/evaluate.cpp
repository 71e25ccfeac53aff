
#include "mercer/inspection/evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/estimator.h"

namespace mercer::api {
namespace {

void require_evaluable(const model& m, const table& data) {
    const method& how = find_method(m.method_name());
    const target_kind what = m.prediction_kind();
    if (what == target_kind::none || what == target_kind::clusters || how.family == method_family::density)
        fail(errc::unsupported, fmt::format("{} returns {}, which cannot be compared with targets", m.method_name(),
                                            what == target_kind::clusters ? "clusters"
                                            : what == target_kind::none   ? "coordinates"
                                                                          : "densities"));
    if (data.y.empty()) fail(errc::data, "an evaluation needs targets, but the data have none: name the target column");
    if (static_cast<index>(data.y.size()) != data.x.size())
        fail(errc::invalid_argument, fmt::format("{} objects, but {} targets", data.x.size(), data.y.size()));
    if (what != target_kind::sides) return;
    for (std::size_t i = 0; i < data.y.size(); ++i)
        if (data.y[i] != 1 && data.y[i] != -1)
            fail(errc::data,
                 fmt::format("row {}: {} predicts 1 (inside) or -1 (outside), so targets must be 1 or -1, got {}", i,
                             m.method_name(), number_text(data.y[i])));
}

std::vector<double> classes_of(const model& m) {
    return m.prediction_kind() == target_kind::sides ? std::vector<double>{-1, 1} : m.inner().classes();
}

matrix<double> scores_of(const model& m, const dataset& prepared, std::span<const double> predicted) {
    if (m.prediction_kind() != target_kind::sides)
        return estimator_scores(m.inner(), prepared, predicted).value_or(matrix<double>());
    const matrix<double> f = m.inner().decide(prepared);  // f > 0 inside
    matrix<double> out(f.rows(), 2);
    for (index i = 0; i < f.rows(); ++i) out(i, 0) = -f(i, 0), out(i, 1) = f(i, 0);
    return out;
}

// The metric of the importance. Throws before the computation if the model lacks the scores that the metric needs.
const metric& metric_of(const evaluation_input& a, const std::string& name) {
    const metric& by = name.empty() ? default_metric(a.of) : find_metric(name, a.of);
    if (by.needs == metric::input::scores && a.scores.cols() == 0)
        fail(errc::unsupported,
             fmt::format("metric '{}' needs scores of the classes, but the model has none", by.name));
    if (by.needs == metric::input::probabilities && a.probabilities.cols() == 0)
        fail(errc::unsupported, fmt::format("metric '{}' needs probabilities, but the model has none", by.name));
    return by;
}

std::vector<feature_importance> compute_importance(const model& m, const table& data, const evaluation_input& a,
                                                   const metric& by, const importance_options& options) {
    // With two classes the sign convention of the decision function is derived from the predictions; a batch in which
    // all rows have the same class is sufficient for that.
    const predictor predict_rows = [&](const dataset& x) {
        const dataset prepared = m.preprocess(x);
        predictions_of_model out{m.inner().predict(prepared)};
        if (by.needs == metric::input::scores) out.scores = scores_of(m, prepared, out.predicted);
        if (by.needs == metric::input::probabilities) out.scores = m.inner().probabilities(prepared);
        return out;
    };
    return permutation_importance(data.x, data.y, a.classes, by, predict_rows, options);
}

}  // namespace

evaluation evaluate(const model& m, const table& data, const evaluate_options& options) {
    require_evaluable(m, data);
    const dataset x = m.preprocess(data.x);
    evaluation_input a{m.prediction_kind() == target_kind::values ? target_kind::values : target_kind::classes, data.y,
                       m.inner().predict(x)};
    if (a.of == target_kind::classes) {
        a.classes = classes_of(m);
        a.scores = scores_of(m, x, a.predicted);
        if (m.prediction_kind() == target_kind::classes)
            a.probabilities = estimator_probabilities(m.inner(), x).value_or(matrix<double>());
    }
    const metric* by = options.importance ? &metric_of(a, options.metric) : nullptr;
    evaluation out = mercer::evaluate(a, options.metrics);
    for (std::size_t c = 0; c < out.names.size(); ++c) out.names[c] = m.class_text(out.table.labels[c]);
    if (by) {
        out.importance = compute_importance(m, data, a, *by, options.permutations);
        out.importance_metric = by->name;
        out.features = m.feature_names();
    }
    return out;
}

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t max_points = 2000;  // points of one curve, at most

json number(double v) { return std::isfinite(v) ? json(v) : json(); }
json range(const interval& of) { return json::array({number(of.low), number(of.high)}); }

json classes_json(const evaluation& all) {
    json out = json::array();
    for (const class_metrics& c : all.classes)
        out.push_back({{"class", all.name_of(c.label)},
                       {"support", c.support},
                       {"predicted", c.predicted},
                       {"correct", c.correct},
                       {"precision", number(c.precision)},
                       {"precision_interval", range(c.precision_interval)},
                       {"recall", number(c.recall)},
                       {"recall_interval", range(c.recall_interval)},
                       {"f1", number(c.f1)}});
    return out;
}

// An object with one list for each of the given functions of the points.
using point_figure = std::function<double(const ranking_point&)>;
json lists(const std::vector<ranking_point>& points, const std::vector<std::pair<const char*, point_figure>>& of) {
    json out = json::object();
    for (const auto& [name, figure] : of) {
        json list = json::array();
        for (const ranking_point& p : points) list.push_back(number(figure(p)));
        out[name] = std::move(list);
    }
    return out;
}

json curve_json(const evaluation& all, const class_curves& c) {
    json out{{"class", all.name_of(c.label)}};
    const ranking& order = c.order;
    const auto threshold = [](const ranking_point& p) { return p.threshold; };
    const auto recall = [&](const ranking_point& p) { return order.recall(p); };
    if (order.has_roc()) {
        const auto false_positive_rate = [&](const ranking_point& p) { return order.false_positive_rate(p); };
        out["roc"] = lists(
            thin_out(corners(order), max_points),
            {{"false_positive_rate", false_positive_rate}, {"true_positive_rate", recall}, {"thresholds", threshold}});
        out["roc"]["area"] = order.area;
    }
    if (order.has_precision()) {
        out["precision_recall"] =
            lists(thin_out(order.points, max_points),
                  {{"recall", recall}, {"precision", ranking::precision}, {"thresholds", threshold}});
        out["precision_recall"]["average_precision"] = order.average_precision;
    }
    if (c.probabilities.bins.empty()) return out;
    json bins = json::array();
    for (const reliability_bin& b : c.probabilities.bins)
        bins.push_back({{"from", b.low},
                        {"to", b.high},
                        {"count", b.count},
                        {"mean_probability", b.mean},
                        {"share", b.share},
                        {"share_interval", range(b.share_interval)}});
    out["calibration"] = {{"bins", std::move(bins)},
                          {"brier", number(c.probabilities.brier)},
                          {"calibration_error", number(c.probabilities.calibration_error)}};
    return out;
}

json importance_json(const evaluation& all) {
    json out = json::array();
    for (const feature_importance& f : all.importance)
        out.push_back({{"feature", all.feature(f.column)},
                       {"mean", number(f.mean)},
                       {"standard_deviation", number(f.deviation)},
                       {"interval", range(f.mean_interval)},
                       {"repeats", f.decrease}});
    return out;
}

}  // namespace

std::string evaluation_json(const evaluation& all) {
    json out{{"task", all.of == target_kind::values ? "regression" : "classification"}, {"n", all.n}};
    json metrics = json::object();
    for (const evaluated_metric& m : all.metrics)
        metrics[m.name] = {{"value", number(m.value)},
                           {"interval", range(m.range)},
                           {"interval_by", m.interval_method},
                           {"larger_is_better", m.larger_is_better}};
    out["metrics"] = std::move(metrics);
    out["interval_level"] = 0.95;
    out["resamples"] = all.resamples;
    if (all.of == target_kind::values) {
        const residual_summary& r = all.residuals;
        out["residuals"] = {{"mean", r.mean},         {"standard_deviation", r.deviation},
                            {"smallest", r.smallest}, {"quarter", r.quarter},
                            {"median", r.median},     {"three_quarters", r.three_quarters},
                            {"largest", r.largest}};
    } else {
        json rows = json::array();
        for (index i = 0; i < all.table.count.rows(); ++i)
            rows.push_back(std::vector<index>(all.table.count.row(i), all.table.count.row(i) + all.table.count.cols()));
        out["confusion"] = {{"classes", all.names}, {"counts", std::move(rows)}};
        out["classes"] = classes_json(all);
        json curves = json::array();
        for (const class_curves& c : all.curves) curves.push_back(curve_json(all, c));
        out["curves"] = std::move(curves);
    }
    if (!all.importance.empty())
        out["importance"] = {{"metric", all.importance_metric}, {"features", importance_json(all)}};
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace mercer::api
