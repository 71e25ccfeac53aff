#include "mercer/metrics/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "mercer/base/error.h"

namespace mercer {
namespace {

constexpr double not_defined = std::numeric_limits<double>::quiet_NaN();

// The mean of f(target, prediction) over all examples.
template <class F>
double mean(const metric_input& a, F f) {
    double sum = 0;
    for (std::size_t i = 0; i < a.y.size(); ++i) sum += f(a.y[i], a.predicted[i]);
    return a.y.empty() ? not_defined : sum / static_cast<double>(a.y.size());
}

double accuracy(const metric_input& a) {
    return mean(a, [](double y, double v) { return y == v ? 1.0 : 0.0; });
}

// Counts of one class: its examples, its correct predictions, and all predictions of it.
struct class_count {
    double there = 0, found = 0, predicted = 0;
};
std::map<double, class_count> counts(const metric_input& a) {
    std::map<double, class_count> out;
    for (std::size_t i = 0; i < a.y.size(); ++i) {
        ++out[a.y[i]].there;
        ++out[a.predicted[i]].predicted;
        if (a.y[i] == a.predicted[i]) ++out[a.y[i]].found;
    }
    return out;
}

// The mean recall over the classes that occur among the targets.
double balanced_accuracy(const metric_input& a) {
    double sum = 0, classes = 0;
    for (const auto& [label, c] : counts(a))
        if (c.there > 0) sum += c.found / c.there, ++classes;
    return classes > 0 ? sum / classes : not_defined;
}

// The mean F1 score over the classes that occur among the targets or the predictions.
double f1(const metric_input& a) {
    double sum = 0, classes = 0;
    for (const auto& [label, c] : counts(a)) sum += 2 * c.found / (c.there + c.predicted), ++classes;
    return classes > 0 ? sum / classes : not_defined;
}

// Two classes: the area for the larger label. More classes: the mean of the areas of each class against the rest.
double auc(const metric_input& a) {
    const index k = static_cast<index>(a.classes.size());
    double sum = 0, counted = 0;
    for (index c = k == 2 ? 1 : 0; c < k; ++c) {
        std::vector<double> score;
        std::vector<bool> positive;
        for (std::size_t i = 0; i < a.y.size(); ++i) {
            score.push_back(a.scores(static_cast<index>(i), c));
            positive.push_back(a.y[i] == a.classes[static_cast<std::size_t>(c)]);
        }
        const double area = area_under_roc(score, positive);
        if (!std::isnan(area)) sum += area, ++counted;
    }
    return counted > 0 ? sum / counted : not_defined;
}

// Probabilities are clamped to at least 1e-15, so that the logarithm stays finite.
double log_loss(const metric_input& a) {
    constexpr double least = 1e-15;
    double sum = 0;
    for (std::size_t i = 0; i < a.y.size(); ++i) {
        const auto at = std::ranges::find(a.classes, a.y[i]) - a.classes.begin();
        const bool known = at < static_cast<std::ptrdiff_t>(a.classes.size());
        sum -= std::log(std::clamp(known ? a.scores(static_cast<index>(i), at) : 0.0, least, 1.0));
    }
    return a.y.empty() ? not_defined : sum / static_cast<double>(a.y.size());
}

double mae(const metric_input& a) {
    return mean(a, [](double y, double v) { return std::abs(y - v); });
}
double mse(const metric_input& a) {
    return mean(a, [](double y, double v) { return (y - v) * (y - v); });
}
double rmse(const metric_input& a) { return std::sqrt(mse(a)); }

// Returns 1 if all targets are equal and all predictions are exact, as scikit-learn does.
double r2(const metric_input& a) {
    double centre = 0, spread = 0;
    for (const double y : a.y) centre += y / static_cast<double>(a.y.size());
    for (const double y : a.y) spread += (y - centre) * (y - centre) / static_cast<double>(a.y.size());
    const double error = mse(a);
    return spread > 0 ? 1 - error / spread : error == 0 ? 1.0 : 0.0;
}

// The pinball loss of the median is half the absolute error.
double pinball(const metric_input& a) { return mae(a) / 2; }

}  // namespace

double area_under_roc(std::span<const double> score, const std::vector<bool>& positive) {
    std::vector<std::size_t> order(score.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return score[a] < score[b]; });
    double rank_sum = 0, ones = 0;
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
        double here = 0;
        for (end = first; end < order.size() && score[order[end]] == score[order[first]]; ++end)
            here += positive[order[end]];
        rank_sum += here * (static_cast<double>(first + end) + 1) / 2;  // tied scores share their mean rank
        ones += here;
    }
    const double zeros = static_cast<double>(score.size()) - ones;
    if (ones == 0 || zeros == 0) return not_defined;
    return (rank_sum - ones * (ones + 1) / 2) / (ones * zeros);
}

const std::vector<metric>& metrics() {
    using enum metric::input;
    static const std::vector<metric> all{
        {"accuracy", "share of right answers", target_kind::classes, true, predictions, accuracy},
        {"balanced_accuracy", "mean over the classes of the share found", target_kind::classes, true, predictions,
         balanced_accuracy},
        {"f1", "mean over the classes of 2·precision·recall/(precision + recall)", target_kind::classes, true,
         predictions, f1},
        {"auc", "area under the ROC curve, each class against the rest", target_kind::classes, true, scores, auc},
        {"log_loss", "mean -log of the probability given to the right class", target_kind::classes, false,
         probabilities, log_loss},
        {"rmse", "root of the mean squared error", target_kind::values, false, predictions, rmse},
        {"mse", "mean squared error", target_kind::values, false, predictions, mse},
        {"mae", "mean absolute error", target_kind::values, false, predictions, mae},
        {"r2", "share of the variance explained", target_kind::values, true, predictions, r2},
        {"pinball", "pinball loss of the median", target_kind::values, false, predictions, pinball}};
    return all;
}

const metric& find_metric(std::string_view name, target_kind of) {
    std::string names;
    for (const metric& each : metrics()) {
        if (each.of != of) continue;
        if (each.name == name) return each;
        names += (names.empty() ? "" : ", ") + each.name;
    }
    fail(errc::invalid_argument, fmt::format("there is no metric '{}' of {}: take one of {}", name,
                                             of == target_kind::classes ? "classes" : "values", names));
}

const metric& default_metric(target_kind of) {
    return find_metric(of == target_kind::classes ? "accuracy" : "rmse", of);
}

index confusion_matrix::position(double label) const {
    return static_cast<index>(std::ranges::lower_bound(labels, label) - labels.begin());
}

confusion_matrix compute_confusion(std::span<const double> y, std::span<const double> predicted,
                                   std::span<const double> classes) {
    confusion_matrix out;
    out.labels.assign(classes.begin(), classes.end());
    out.labels.insert(out.labels.end(), y.begin(), y.end());
    out.labels.insert(out.labels.end(), predicted.begin(), predicted.end());
    std::ranges::sort(out.labels);
    out.labels.erase(std::unique(out.labels.begin(), out.labels.end()), out.labels.end());
    const auto k = static_cast<index>(out.labels.size());
    out.count = matrix<index>(k, k);
    std::fill_n(out.count.data(), k * k, index{0});
    for (std::size_t i = 0; i < y.size(); ++i) ++out.count(out.position(y[i]), out.position(predicted[i]));
    return out;
}

std::vector<class_metrics> compute_class_metrics(const confusion_matrix& all) {
    const auto share = [](index part, index of) {
        return of > 0 ? static_cast<double>(part) / static_cast<double>(of) : std::numeric_limits<double>::quiet_NaN();
    };
    std::vector<class_metrics> out;
    for (index c = 0; c < all.count.rows(); ++c) {
        class_metrics one;
        one.label = all.labels[static_cast<std::size_t>(c)];
        for (index other = 0; other < all.count.rows(); ++other)
            one.support += all.count(c, other), one.predicted += all.count(other, c);
        one.correct = all.count(c, c);
        one.precision = share(one.correct, one.predicted);
        one.recall = share(one.correct, one.support);
        one.f1 = share(2 * one.correct, one.predicted + one.support);
        one.precision_interval = wilson_interval(static_cast<double>(one.correct), static_cast<double>(one.predicted));
        one.recall_interval = wilson_interval(static_cast<double>(one.correct), static_cast<double>(one.support));
        out.push_back(one);
    }
    return out;
}

regression_score score_regression(std::span<const double> y, std::span<const double> v) {
    const double n = static_cast<double>(y.size());
    double squares = 0, sv = 0, sy = 0, svv = 0, syy = 0, svy = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        squares += (v[i] - y[i]) * (v[i] - y[i]);
        sv += v[i], sy += y[i], svv += v[i] * v[i], syy += y[i] * y[i], svy += v[i] * y[i];
    }
    return {squares / n, (n * svy - sv * sy) * (n * svy - sv * sy) / ((n * svv - sv * sv) * (n * syy - sy * sy))};
}

index count_correct(std::span<const double> y, std::span<const double> v) {
    index correct = 0;
    for (std::size_t i = 0; i < y.size(); ++i) correct += y[i] == v[i];
    return correct;
}

}  // namespace mercer
