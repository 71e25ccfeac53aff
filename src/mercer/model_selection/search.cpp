
#include "mercer/model_selection/search.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/base/threads.h"
#include "mercer/model_selection/search_space.h"
#include "mercer/model_selection/search_strategy.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer::api {
namespace {

void store_trials(const trial_runner& by, const std::vector<setting>& from, const spec& s, tuning& out) {
    for (const setting& each : from) {
        trial made{each.at, each.what, {}, mean_score(each.score), 0, each.dropped, each.warning};
        for (const double x : each.score)
            if (!std::isnan(x)) made.scores.push_back(x);
        if (made.scores.empty()) continue;
        const auto n = static_cast<double>(made.scores.size());
        double squares = 0;
        for (const double x : made.scores) squares += (x - made.mean) * (x - made.mean);
        made.error = n > 1 ? std::sqrt(squares / (n - 1) / n) : std::numeric_limits<double>::quiet_NaN();
        made.what.scale = s.scale;
        made.what.text = s.text;
        out.trials.push_back(std::move(made));
    }
    out.metric = by.scoring_metric().name;
    out.how = by.describe();
    out.larger_is_better = by.scoring_metric().larger_is_better;
}

// Chooses the best setting that was not dropped. With one_standard_error: the simplest setting within one standard
// error of the best, by the smallest C, the largest λ and the smallest γ.
void choose_setting(tuning& out, bool one_standard_error) {
    const auto better = [&](double a, double b) { return out.larger_is_better ? a > b : a < b; };
    bool any = false;
    for (std::size_t i = 0; i < out.trials.size(); ++i) {
        if (out.trials[i].dropped) continue;
        if (!any || better(out.trials[i].mean, out.trials[out.best].mean)) out.best = i;
        any = true;
    }
    out.chosen = out.best;
    const trial& top = out.trials[out.best];
    if (!one_standard_error || std::isnan(top.error)) return;
    const double limit = top.mean + (out.larger_is_better ? -top.error : top.error);
    const auto simplicity = [&](const trial& t) {
        double sum = 0;
        for (std::size_t a = 0; a < out.axes.size(); ++a)
            sum += (out.axes[a].name == "alpha" ? 1 : -1) * out.axes[a].share(t.at[a]);
        return sum;
    };
    for (std::size_t i = 0; i < out.trials.size(); ++i)
        if (!out.trials[i].dropped && !better(limit, out.trials[i].mean) &&
            simplicity(out.trials[i]) > simplicity(out.trials[out.chosen]))
            out.chosen = i;
}

}  // namespace

tuning tune(const spec& open_one, const table& data, const tune_options& options, const fit_control& control) {
    const method& m = find_method(open_one.method);
    if (m.targets != target_kind::classes && m.targets != target_kind::values)
        fail(errc::unsupported,
             fmt::format("tune: method {} uses no targets, so its options cannot be tuned by a score", m.name));
    if (data.x.size() == 0) fail(errc::data, "tune: the data have no examples");
    if (static_cast<index>(data.y.size()) != data.x.size())
        fail(errc::data, fmt::format("tune: {} examples, but {} targets", data.x.size(), data.y.size()));
    require_finite(data.x);
    const thread_limit limit(control.threads);
    tuning out;
    out.of_rows = data.x.size();
    table part = options.max_rows > 0 && data.x.size() > options.max_rows && options.groups.empty() && !options.by_time
                     ? sample_of(data, options.max_rows, options.seed)
                     : data;
    out.rows = part.x.size();
    spec s = open_one;
    if (m.takes_kernel && s.kernel.empty()) s.kernel = default_open_kernel(part.x);
    if (!s.text.empty()) (void)text_features::fit(part.x, parse_text_options(s.text), &part.x);
    if (const auto scaling = fit_scaling(part.x, s.scale)) part.x = apply_scaling(*scaling, part.x);
    const search_request open(s, part);
    out.axes = open.axes();
    const index per_axis = options.points > 0     ? options.points
                           : out.axes.size() <= 2 ? 10
                           : out.axes.size() == 3 ? 6
                                                  : 4;
    const index trials = options.trials > 0 ? options.trials : 60;
    searcher by(open, options);
    const random_below random = make_random_below(options.seed + 1000);
    std::vector<setting> found;
    std::optional<trial_runner> runner;
    const auto ran = completes_unless_cancelled([&] {
        runner.emplace(s, part, options, control);
        if (options.search == "grid") {
            found = open.at(grid_points(out.axes, per_axis));
            by.evaluate(*runner, found);
        } else if (options.search == "random") {
            found = open.at(random_points(out.axes, trials, random));
            by.evaluate(*runner, found);
        } else if (options.search == "halving") {
            found = by.successive_halving(open.at(random_points(out.axes, trials, random)), s, part, control);
            by.evaluate(*runner, found);
        } else if (options.search == "bayes" || options.search == "model") {  // "model" is the former name
            by.search_by_model(*runner, trials, random, found);
        } else {
            fail(errc::invalid_argument,
                 fmt::format("tune: option 'search' must be 'grid', 'random', 'halving' or 'bayes', got '{}'",
                             options.search));
        }
    });
    out.complete = ran;
    if (runner) store_trials(*runner, found, s, out);
    if (out.trials.empty()) {
        if (!ran) fail(errc::cancelled, "tune: stopped before the first score was computed");
        fail(errc::data, fmt::format("tune: no setting could be fitted: {}",
                                     found.empty() ? "the search has no settings" : found.front().warning));
    }
    choose_setting(out, options.one_standard_error);
    out.seconds = by.seconds();
    return out;
}

namespace {

using nlohmann::ordered_json;

ordered_json number(double v) { return std::isfinite(v) ? ordered_json(v) : ordered_json(); }

}  // namespace

std::string to_json(const tuning& found) {
    ordered_json trials = ordered_json::array();
    for (const trial& t : found.trials) {
        ordered_json one = ordered_json::object(), at = ordered_json::object();
        for (std::size_t a = 0; a < found.axes.size(); ++a) at[found.axes[a].name] = t.at[a];
        if (!at.empty()) one["at"] = std::move(at);
        one["spec"] = parse_json<ordered_json>(to_json(t.what));
        one["scores"] = ordered_json::array();
        for (const double s : t.scores) one["scores"].push_back(number(s));
        one["mean"] = number(t.mean);
        one["standard_error"] = number(t.error);
        one["dropped"] = t.dropped;
        if (!t.warning.empty()) one["trouble"] = t.warning;
        trials.push_back(std::move(one));
    }
    ordered_json out{{"metric", found.metric},        {"cross_validation", found.how}, {"rows", found.rows},
                     {"of_rows", found.of_rows},      {"complete", found.complete},    {"seconds", found.seconds},
                     {"chosen", trials[found.chosen]}};
    out["trials"] = std::move(trials);
    return out.dump();
}

}  // namespace mercer::api
