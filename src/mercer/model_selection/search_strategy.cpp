#include "mercer/model_selection/search_strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/model_selection/search_space.h"

namespace mercer::api {
namespace {

// Returns true if the mean loss of a is larger than that of b by more than `deviations` standard errors. Uses paired
// differences over the examples that both have predicted; with fewer than 30 it returns false.
bool is_significantly_worse(const setting& a, const setting& b, double deviations) {
    double n = 0, sum = 0, squares = 0;
    for (std::size_t f = 0; f < a.loss.size(); ++f)
        for (std::size_t i = 0; i < std::min(a.loss[f].size(), b.loss[f].size()); ++i) {
            const double d = static_cast<double>(a.loss[f][i]) - static_cast<double>(b.loss[f][i]);
            ++n, sum += d, squares += d * d;
        }
    if (n < 30) return false;
    const double mean = sum / n, variance = std::max(squares / n - mean * mean, 0.0);
    return mean > deviations * std::sqrt(variance / n);
}

bool lacks_scores(const setting& s, const std::vector<int>& stage) {
    return std::ranges::any_of(stage, [&](int f) {
        return static_cast<std::size_t>(f) >= s.score.size() || std::isnan(s.score[static_cast<std::size_t>(f)]);
    });
}

void drop_worse(const trial_runner& by, std::vector<setting>& which, double deviations) {
    const setting* best = nullptr;
    for (const setting& s : which) {
        if (s.dropped || std::isnan(mean_score(s.score))) continue;
        if (!best || by.scoring_metric().better(mean_score(s.score), mean_score(best->score))) best = &s;
    }
    for (setting& s : which)
        if (best && &s != best && !s.dropped && is_significantly_worse(s, *best, deviations)) s.dropped = true;
}

}  // namespace

search_request::search_request(const spec& s, const table& data) : spec_(s), kernel_(s.kernel) {
    const method& m = find_method(s.method);
    for (const free_parameter& each : kernel_.free_parameters())
        axes_.push_back(each.has_range ? each.range : default_kernel_range(each, data));
    for (const auto& option : s.options) {
        const std::string& name = option.first;  // clang 14 captures no structured binding in a lambda
        options_.emplace_back(option.second);
        for (const free_parameter& each : options_.back().free_parameters()) {
            const auto info = std::ranges::find_if(m.options, [&](const option_info& o) {
                return o.name == name ||
                       std::ranges::find(o.former_names, name, &former_option_name::name) != o.former_names.end();
            });
            if (info == m.options.end())
                fail(errc::invalid_argument, fmt::format("{} has no option '{}'", m.name, name));
            axes_.push_back(each.has_range ? each.range : default_option_range(*info, data));
            axes_.back().name = name;
            axes_.back().whole = axes_.back().whole || info->kind == option_kind::integer;
        }
    }
    if (axes_.empty())
        fail(errc::invalid_argument,
             "no option or parameter is left open for tuning: write ? for a number, as in C=? or rbf(gamma=?)");
}

setting search_request::at(const space_point& point) const {
    spec out = spec_;
    out.parsed_kernel.reset();
    std::span<const double> rest = point;
    const auto taken = [&](const open_text& text) {
        const std::size_t count = text.free_parameters().size();
        std::string filled = text.filled(rest.first(count));
        rest = rest.subspan(count);
        return filled;
    };
    out.kernel = taken(kernel_);
    for (std::size_t o = 0; o < options_.size(); ++o) out.options[o].second = taken(options_[o]);
    const method& m = find_method(out.method);
    // a range may contain values that the option does not allow
    const option_values checked(m.name, m.options, out.options);
    return {point, std::move(out), {}, {}, false, {}};
}

std::vector<setting> search_request::at(const std::vector<space_point>& points) const {
    std::vector<setting> out;
    for (const space_point& p : points) out.push_back(at(p));
    return out;
}

double mean_score(const std::vector<double>& scores) {
    double sum = 0, count = 0;
    for (const double s : scores)
        if (!std::isnan(s)) sum += s, ++count;
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

table rows_of(const table& data, std::span<const index> rows) {
    table out{gather(data.x, rows), {}, data.class_names, data.feature_names, data.label};
    for (const index i : rows) out.y.push_back(data.y[static_cast<std::size_t>(i)]);
    return out;
}

table sample_of(const table& data, index count, std::uint64_t seed) {
    std::vector<index> rows(static_cast<std::size_t>(data.x.size()));
    std::iota(rows.begin(), rows.end(), 0);
    const random_below random = make_random_below(seed);
    for (index i = 0; i < count; ++i)
        std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(i + random(data.x.size() - i))]);
    rows.resize(static_cast<std::size_t>(count));
    std::ranges::sort(rows);
    return rows_of(data, rows);
}

void searcher::evaluate(const trial_runner& by, std::vector<setting>& which) {
    const int folds = by.folds();
    total_ += static_cast<index>(which.size()) * folds;
    log_.restore(by, which);
    std::vector<std::vector<int>> stages;
    const int early =
        options_.race && by.scoring_metric().needs == metric::input::predictions ? std::min(folds - 1, 2) : 0;
    if (early > 0 && by.has_race_fold()) run_race_fold(by, which);
    for (int f = 0; f < early; ++f) stages.push_back({f});
    stages.emplace_back();
    for (int f = early; f < folds; ++f) stages.back().push_back(f);
    for (const auto& stage : stages) {
        std::vector<setting*> left;
        for (setting& s : which)
            if (!s.dropped && lacks_scores(s, stage)) left.push_back(&s);
        if (!left.empty()) by.run(left, stage, [&] { report_progress(by, which); });
        if (early > 0) drop_worse(by, which, 2.5);
        log_.write(by, which, true);
    }
    done_before_ = total_;
}

// Dropped settings keep their score of this fold; the others start again.
void searcher::run_race_fold(const trial_runner& by, std::vector<setting>& which) {
    // some scores come from a log
    if (std::ranges::any_of(which, [](const setting& s) { return !s.score.empty(); })) return;
    std::vector<setting*> all;
    for (setting& s : which) all.push_back(&s);
    total_ += static_cast<index>(all.size());
    by.run(all, {trial_runner::race_fold}, [&] { report_progress(by, which); });
    drop_worse(by, which, 2);  // most examples are held out in this fold
    for (setting& s : which)
        if (!s.dropped) s.score.clear(), s.loss.clear(), s.warning.clear();
    done_before_ += static_cast<index>(all.size());
    log_.write(by, which, true);
}

void searcher::report_progress(const trial_runner& by, const std::vector<setting>& which) {
    log_.write(by, which, false);
    if (!options_.progress) return;
    tune_progress now;
    now.total = total_;
    now.done = done_before_;
    now.best = std::numeric_limits<double>::quiet_NaN();
    for (const setting& s : which) {
        now.done += s.dropped ? by.folds() : std::ranges::count_if(s.score, [](double x) { return !std::isnan(x); });
        const double mean = mean_score(s.score);
        if (!std::isnan(mean) && (std::isnan(now.best) || by.scoring_metric().better(mean, now.best))) now.best = mean;
    }
    now.done = std::min(now.done, now.total);
    now.seconds = seconds();
    if (!options_.progress(now)) fail(errc::cancelled, "tune: stopped");
}

std::vector<setting> searcher::successive_halving(std::vector<setting> which, const spec& s, const table& data,
                                                  const fit_control& control) {
    constexpr index fewest = 200, factor = 3;
    std::vector<index> sizes;
    for (index n = data.x.size() / factor; n >= fewest && sizes.size() < 3; n /= factor) sizes.insert(sizes.begin(), n);
    for (const index n : sizes) {
        if (which.size() <= 3) break;
        const table part = sample_of(data, n, options_.seed + static_cast<std::uint64_t>(n));
        const trial_runner by(s, part, options_, control);
        tune_log none("");
        std::swap(none, log_);  // the log only records evaluations on all examples
        evaluate(by, which);
        std::swap(none, log_);
        std::ranges::stable_sort(which, [&](const setting& a, const setting& b) {
            const double x = mean_score(a.score), y = mean_score(b.score);
            if (a.dropped != b.dropped || std::isnan(x) || std::isnan(y))
                return !std::isnan(x) && !a.dropped && (b.dropped || std::isnan(y));
            return by.scoring_metric().better(x, y);
        });
        which.resize(std::max<std::size_t>(3, which.size() / static_cast<std::size_t>(factor)));
        for (setting& each : which) each = open_.at(each.at);
    }
    return which;
}

void searcher::search_by_model(const trial_runner& by, index trials, const random_below& random,
                               std::vector<setting>& found) {
    constexpr index candidates = 500;
    const auto first = std::min<index>(trials, 2 * static_cast<index>(open_.axes().size()) + 4);
    found = open_.at(random_points(open_.axes(), first, random));
    evaluate(by, found);
    while (static_cast<index>(found.size()) < trials) {
        std::vector<space_point> tried;
        std::vector<double> score;
        for (const setting& s : found) {
            const double mean = mean_score(s.score);
            if (std::isnan(mean)) continue;
            tried.push_back(s.at);
            score.push_back(by.scoring_metric().larger_is_better ? mean : -mean);
        }
        std::vector<space_point> fresh;
        for (const space_point& p : random_points(open_.axes(), candidates, random))
            if (std::ranges::find(found, p, &setting::at) == found.end()) fresh.push_back(p);
        if (fresh.empty() || tried.empty()) return;
        std::vector<setting> next{open_.at(fresh[max_expected_improvement(open_.axes(), tried, score, fresh)])};
        total_ += by.folds();
        std::vector<int> folds(static_cast<std::size_t>(by.folds()));
        std::iota(folds.begin(), folds.end(), 0);
        log_.restore(by, next);
        if (lacks_scores(next[0], folds)) by.run({&next[0]}, folds, [] {});
        found.push_back(std::move(next[0]));
        done_before_ = 0;
        report_progress(by, found);
    }
    log_.write(by, found, true);
}

}  // namespace mercer::api
