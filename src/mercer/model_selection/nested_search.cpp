#include "mercer/model_selection/nested_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/metrics/metrics.h"
#include "mercer/model_selection/search_strategy.h"

namespace mercer::api {
namespace {

using nlohmann::ordered_json;

ordered_json finite_or_null(double v) { return std::isfinite(v) ? ordered_json(v) : ordered_json(); }

struct outer_fold {
    std::vector<index> training, held_out;
};

// The outer folds, made like those of a search with another seed.
std::vector<outer_fold> make_outer_folds(const method& m, const table& data, int folds, const tune_options& options,
                                         std::uint64_t seed) {
    const random_below random = make_random_below(seed);
    const fold_plan plan = options.by_time                     ? time_folds(data.x.size(), folds)
                           : !options.groups.empty()           ? grouped_folds(options.groups, folds, random)
                           : m.targets == target_kind::classes ? stratified_folds(data.y, folds, random)
                                                               : plain_folds(data.x.size(), folds, random);
    std::vector<outer_fold> out;
    for (int f = options.by_time ? 1 : 0; f < plan.folds(); ++f) {
        outer_fold made{{}, {plan.held_out(f).begin(), plan.held_out(f).end()}};
        if (options.by_time)
            for (index i = 0; i < made.held_out.front(); ++i) made.training.push_back(i);
        else
            made.training = plan.training(f);
        if (!made.held_out.empty()) out.push_back(std::move(made));
    }
    return out;
}

const metric& metric_of(const method& m, const tune_options& options) {
    return options.metric.empty() ? default_metric(m.targets) : find_metric(options.metric, m.targets);
}

std::pair<double, double> mean_and_error(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double v : values) squares += (v - mean) * (v - mean);
    return {mean, n > 1 ? std::sqrt(squares / (n - 1) / n) : std::nan("")};
}

// The 97.5 % quantile of Student's t distribution.
double student_quantile(std::size_t freedom) {
    constexpr std::array known{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    return freedom == 0              ? std::numeric_limits<double>::infinity()
           : freedom <= known.size() ? known[freedom - 1]
                                     : normal_97_5 + 2.4 / static_cast<double>(freedom);
}

void find_interval(nested_estimate& out, const metric& by, const std::vector<double>& y,
                   const std::vector<double>& predicted) {
    const auto [mean, error] = mean_and_error(out.scores);
    out.mean = mean;
    const auto n = static_cast<double>(y.size());
    if (by.name == "accuracy") {
        double right = 0;
        for (std::size_t i = 0; i < y.size(); ++i) right += y[i] == predicted[i];
        out.range = wilson_interval(right, n);
        out.interval_method = "Wilson";
    } else if (by.needs == metric::input::predictions) {
        out.range = bootstrap_intervals(static_cast<index>(y.size()), 1,
                                        [&](std::span<const index> rows, std::span<double> figure) {
                                            std::vector<double> some, said;
                                            for (const index i : rows) {
                                                some.push_back(y[static_cast<std::size_t>(i)]);
                                                said.push_back(predicted[static_cast<std::size_t>(i)]);
                                            }
                                            figure[0] = by.value({some, said, {}, {}});
                                        })[0];
        out.interval_method = "bootstrap";
    } else {
        const double half = out.scores.size() > 1 ? student_quantile(out.scores.size() - 1) * error : std::nan("");
        out.range = {mean - half, mean + half};
        out.interval_method = "t";
    }
}

}  // namespace

nested_estimate nested_tune(const spec& open, const table& data, int outer, const tune_options& options,
                            const fit_control& control) {
    const auto started = std::chrono::steady_clock::now();
    const method& m = find_method(open.method);
    if (outer < 2) fail(errc::invalid_argument, fmt::format("nested: must satisfy 2 <= outer folds, got {}", outer));
    const std::vector<outer_fold> parts = make_outer_folds(m, data, outer, options, options.seed + 7919);
    nested_estimate out;
    const metric& by = metric_of(m, options);
    out.metric = by.name;
    out.how =
        fmt::format("{} outer {}{}, a search in each", outer, options.by_time ? "pieces in order of time" : "folds",
                    !options.groups.empty()                                 ? ", groups kept together"
                    : m.targets == target_kind::classes && !options.by_time ? ", stratified"
                                                                            : "");
    std::vector<double> y, predicted;
    out.complete = completes_unless_cancelled([&] {
        for (std::size_t p = 0; p < parts.size(); ++p) {
            tune_options inner = options;
            inner.log.clear();
            if (!options.groups.empty()) {
                inner.groups.clear();
                for (const index i : parts[p].training)
                    inner.groups.push_back(options.groups[static_cast<std::size_t>(i)]);
            }
            if (options.progress)
                inner.progress = [&](const tune_progress& now) {
                    tune_progress all = now;
                    all.done += static_cast<index>(p) * now.total, all.total *= static_cast<index>(parts.size());
                    return options.progress(all);
                };
            const table training = rows_of(data, parts[p].training), held_out = rows_of(data, parts[p].held_out);
            const tuning found = tune(open, training, inner, control);
            if (!found.complete) fail(errc::cancelled, "nested: stopped");
            const model fitted = fit(found.chosen_spec(), training, control);
            std::vector<double> said;
            out.scores.push_back(score_model(by, fitted, held_out, &said));
            out.chosen.push_back(found.chosen_spec());
            y.insert(y.end(), held_out.y.begin(), held_out.y.end());
            predicted.insert(predicted.end(), said.begin(), said.end());
        }
    });
    if (out.scores.empty()) fail(errc::cancelled, "nested: stopped before the first outer fold was finished");
    find_interval(out, by, y, predicted);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return out;
}

learning_curve learn_curve(const spec& closed, const table& data, const tune_options& options,
                           const fit_control& control) {
    constexpr int sizes = 6;
    const method& m = find_method(closed.method);
    const metric& by = metric_of(m, options);
    learning_curve out;
    out.metric = by.name;
    out.larger_is_better = by.larger_is_better;
    std::vector<outer_fold> parts = make_outer_folds(m, data, options.folds, options, options.seed);
    // Shuffled, so that the first rows are a random sample. With by_time the last rows are used instead.
    for (std::size_t p = 0; p < parts.size() && !options.by_time; ++p) {
        const random_below random = make_random_below(options.seed + p);
        auto& rows = parts[p].training;
        for (std::size_t i = rows.size(); i > 1; --i)
            std::swap(rows[i - 1], rows[static_cast<std::size_t>(random(static_cast<index>(i)))]);
    }
    std::size_t fewest = parts.front().training.size();
    for (const outer_fold& p : parts) fewest = std::min(fewest, p.training.size());
    for (int s = 0; s < sizes; ++s) {
        // From 1/32 of the examples, doubling each time.
        const auto count = static_cast<index>(std::llround(static_cast<double>(fewest) * std::pow(0.5, sizes - 1 - s)));
        std::vector<double> training, held_out;
        for (const outer_fold& p : parts) {
            const std::span<const index> all(p.training);
            const auto some = options.by_time ? all.last(static_cast<std::size_t>(count))
                                              : all.first(static_cast<std::size_t>(count));
            const table from = rows_of(data, some);
            try {
                const model fitted = fit(closed, from, control);
                training.push_back(score_model(by, fitted, from));
                held_out.push_back(score_model(by, fitted, rows_of(data, p.held_out)));
            } catch (const error& problem) {  // too few examples, for instance of a single class
                if (problem.code() == errc::cancelled) throw;
            }
        }
        if (held_out.empty()) continue;
        out.examples.push_back(count);
        const auto seen = mean_and_error(training), unseen = mean_and_error(held_out);
        out.training.push_back(seen.first), out.training_error.push_back(seen.second);
        out.held_out.push_back(unseen.first), out.held_out_error.push_back(unseen.second);
    }
    if (out.examples.empty()) fail(errc::data, "learning curve: no subset of the examples could be fitted");
    return out;
}

std::string to_json(const nested_estimate& found) {
    ordered_json out{{"metric", found.metric},
                     {"cross_validation", found.how},
                     {"mean", finite_or_null(found.mean)},
                     {"low", finite_or_null(found.range.low)},
                     {"high", finite_or_null(found.range.high)},
                     {"interval", found.interval_method},
                     {"complete", found.complete},
                     {"seconds", found.seconds},
                     {"folds", ordered_json::array()}};
    for (std::size_t f = 0; f < found.scores.size(); ++f)
        out["folds"].push_back(
            {{"score", finite_or_null(found.scores[f])}, {"spec", parse_json<ordered_json>(to_json(found.chosen[f]))}});
    return out.dump();
}

std::string to_json(const learning_curve& found) {
    ordered_json out{{"metric", found.metric}, {"points", ordered_json::array()}};
    for (std::size_t i = 0; i < found.examples.size(); ++i)
        out["points"].push_back({{"examples", found.examples[i]},
                                 {"training", finite_or_null(found.training[i])},
                                 {"training_error", finite_or_null(found.training_error[i])},
                                 {"held_out", finite_or_null(found.held_out[i])},
                                 {"held_out_error", finite_or_null(found.held_out_error[i])}});
    return out.dump();
}

}  // namespace mercer::api
