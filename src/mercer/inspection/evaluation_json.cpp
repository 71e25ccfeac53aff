#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "mercer/inspection/evaluate.h"

namespace mercer::api {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_points = 2000;  // of one curve

json number(double v) { return std::isfinite(v) ? json(v) : json(); }
json range(const interval& of) { return json::array({number(of.low), number(of.high)}); }

json classes_json(const evaluation& all) {
    json out = json::array();
    for (const class_figures& c : all.classes)
        out.push_back({{"class", all.name_of(c.label)},
                       {"support", c.support},
                       {"predicted", c.said},
                       {"correct", c.right},
                       {"precision", number(c.precision)},
                       {"precision_interval", range(c.of_precision)},
                       {"recall", number(c.recall)},
                       {"recall_interval", range(c.of_recall)},
                       {"f1", number(c.f1)}});
    return out;
}

// Each figure of the points as a list.
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
        const auto fallout = [&](const ranking_point& p) { return order.fallout(p); };
        out["roc"] =
            lists(thinned(corners(order), most_points),
                  {{"false_positive_rate", fallout}, {"true_positive_rate", recall}, {"thresholds", threshold}});
        out["roc"]["area"] = order.area;
    }
    if (order.has_precision()) {
        out["precision_recall"] =
            lists(thinned(order.points, most_points),
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
                        {"share_interval", range(b.of_share)}});
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
                       {"interval", range(f.of_mean)},
                       {"repeats", f.worse}});
    return out;
}

}  // namespace

std::string evaluation_json(const evaluation& all) {
    json out{{"task", all.of == answer::values ? "regression" : "classification"}, {"n", all.n}};
    json metrics = json::object();
    for (const evaluated_metric& m : all.metrics)
        metrics[m.name] = {{"value", number(m.value)},
                           {"interval", range(m.range)},
                           {"interval_by", m.by},
                           {"larger_is_better", m.larger_is_better}};
    out["metrics"] = std::move(metrics);
    out["interval_level"] = 0.95;
    out["resamples"] = all.resamples;
    if (all.of == answer::values) {
        const residual_figures& r = all.residuals;
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
