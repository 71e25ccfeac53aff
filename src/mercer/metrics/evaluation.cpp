#include "mercer/metrics/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {
namespace {

void require_finite_rows(std::span<const double> values, index cols, const char* what) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            fail(errc::data, fmt::format("row {}: {} must be finite, got {}", static_cast<index>(i) / cols, what,
                                         number_text(values[i])));
}

void check(const evaluation_input& a) {
    if (a.y.empty()) fail(errc::data, "the evaluation needs examples with targets, got none");
    if (a.predicted.size() != a.y.size())
        fail(errc::invalid_argument, fmt::format("{} targets, but {} predictions", a.y.size(), a.predicted.size()));
    require_finite_rows(a.y, 1, "the target");
    require_finite_rows(a.predicted, 1, "the prediction");
    const auto n = static_cast<index>(a.y.size()), k = static_cast<index>(a.classes.size());
    for (const matrix<double>* each : {&a.scores, &a.probabilities}) {
        if (each->cols() == 0) continue;
        if (each->rows() != n || each->cols() != k)
            fail(errc::invalid_argument, fmt::format("scores must be {} × {}, examples × classes, got {} × {}", n, k,
                                                     each->rows(), each->cols()));
        require_finite_rows({each->data(), static_cast<std::size_t>(n * k)}, k, "a score");
    }
}

// The metrics that apply to these answers. The pinball loss of the median is left out, because it is half the mae.
std::vector<const metric*> applicable_metrics(const evaluation_input& a) {
    std::vector<const metric*> out;
    for (const metric& m : metrics()) {
        if (m.of != a.of || m.name == "pinball") continue;
        if (m.needs == metric::input::scores && (a.scores.cols() == 0 || a.classes.size() < 2)) continue;
        if (m.needs == metric::input::probabilities && a.probabilities.cols() == 0) continue;
        out.push_back(&m);
    }
    return out;
}

const matrix<double>& scores_for(const metric& m, const evaluation_input& a) {
    return m.needs == metric::input::probabilities ? a.probabilities : a.scores;
}

matrix<double> gather_rows(const matrix<double>& from, std::span<const index> rows) {
    matrix<double> out(static_cast<index>(rows.size()), from.cols());
    for (std::size_t i = 0; i < rows.size() && from.cols() > 0; ++i)
        std::copy_n(from.row(rows[i]), from.cols(), out.row(static_cast<index>(i)));
    return out;
}

std::vector<evaluated_metric> compute_metrics(const evaluation_input& a, const bootstrap_options& how) {
    const std::vector<const metric*> which = applicable_metrics(a);
    std::vector<evaluated_metric> out;
    for (const metric* m : which)
        out.push_back({m->name,
                       m->about,
                       m->value({a.y, a.predicted, scores_for(*m, a).view(), a.classes}),
                       {},
                       "bootstrap",
                       m->larger_is_better});
    const std::vector<interval> ranges = bootstrap_intervals(
        static_cast<index>(a.y.size()), static_cast<index>(which.size()),
        [&](std::span<const index> rows, std::span<double> to) {
            evaluation_input drawn;
            for (const index i : rows) {
                drawn.y.push_back(a.y[static_cast<std::size_t>(i)]);
                drawn.predicted.push_back(a.predicted[static_cast<std::size_t>(i)]);
            }
            drawn.scores = gather_rows(a.scores, rows), drawn.probabilities = gather_rows(a.probabilities, rows);
            for (std::size_t m = 0; m < which.size(); ++m)
                to[m] = which[m]->value({drawn.y, drawn.predicted, scores_for(*which[m], drawn).view(), a.classes});
        },
        how);
    for (std::size_t m = 0; m < out.size(); ++m) {
        out[m].range = ranges[m];
        if (out[m].name != "accuracy") continue;
        const double n = static_cast<double>(a.y.size());
        out[m].range = wilson_interval(std::round(out[m].value * n), n);
        out[m].interval_method = "Wilson";
    }
    return out;
}

class_curves compute_curves(const evaluation_input& a, std::size_t c, index bins) {
    class_curves out;
    out.label = a.classes[c];
    std::vector<bool> positive;
    for (const double y : a.y) positive.push_back(y == out.label);
    const auto column = [&](const matrix<double>& from) {
        std::vector<double> values;
        for (index i = 0; i < from.rows(); ++i) values.push_back(from(i, static_cast<index>(c)));
        return values;
    };
    if (a.scores.cols() > 0) out.order = compute_ranking(column(a.scores), positive);
    if (a.probabilities.cols() > 0) out.probabilities = compute_reliability(column(a.probabilities), positive, bins);
    return out;
}

residual_summary summarise_residuals(const evaluation_input& a) {
    std::vector<double> r;
    for (std::size_t i = 0; i < a.y.size(); ++i) r.push_back(a.y[i] - a.predicted[i]);
    residual_summary out;
    const double n = static_cast<double>(r.size());
    for (const double each : r) out.mean += each / n;
    for (const double each : r) out.deviation += (each - out.mean) * (each - out.mean) / n;
    out.deviation = std::sqrt(out.deviation);
    std::ranges::sort(r);
    out.smallest = r.front(), out.largest = r.back();
    out.quarter = percentile(r, 0.25), out.median = percentile(r, 0.5), out.three_quarters = percentile(r, 0.75);
    return out;
}

}  // namespace

std::string evaluation::feature(index column) const {
    return column < static_cast<index>(features.size()) ? features[static_cast<std::size_t>(column)]
                                                        : fmt::format("column {}", column + 1);
}

const evaluated_metric* evaluation::find(std::string_view metric) const {
    const auto at = std::ranges::find(metrics, metric, &evaluated_metric::name);
    return at == metrics.end() ? nullptr : &*at;
}

evaluation evaluate(const evaluation_input& a, const evaluation_options& options) {
    check(a);
    evaluation out;
    out.of = a.of;
    out.n = static_cast<index>(a.y.size());
    // About a second of work: each bootstrap sample sorts the scores of every class.
    const index work = out.n * std::max<index>(1, a.scores.cols());
    out.resamples = options.resamples > 0 ? options.resamples : std::clamp<index>(20'000'000 / work, 100, 1000);
    out.metrics = compute_metrics(a, {out.resamples, options.seed});
    if (a.of == target_kind::values) {
        out.y = a.y, out.predicted = a.predicted;
        out.residuals = summarise_residuals(a);
        return out;
    }
    out.table = compute_confusion(a.y, a.predicted, a.classes);
    for (const double label : out.table.labels) out.names.push_back(number_text(label));
    out.classes = compute_class_metrics(out.table);
    if (a.scores.cols() > 0 || a.probabilities.cols() > 0)
        for (std::size_t c = a.classes.size() == 2 ? 1 : 0; c < a.classes.size(); ++c)
            out.curves.push_back(compute_curves(a, c, options.bins));
    return out;
}

}  // namespace mercer
