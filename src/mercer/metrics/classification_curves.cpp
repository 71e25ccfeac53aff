#include "mercer/metrics/classification_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mercer {

namespace {
constexpr double undefined_value = std::numeric_limits<double>::quiet_NaN();
double share(index part, index of) {
    return of > 0 ? static_cast<double>(part) / static_cast<double>(of) : undefined_value;
}
}  // namespace

double ranking::recall(const ranking_point& p) const { return share(p.true_positives, positives); }
double ranking::false_positive_rate(const ranking_point& p) const { return share(p.false_positives, negatives); }
double ranking::precision(const ranking_point& p) {
    return p.true_positives + p.false_positives > 0 ? share(p.true_positives, p.true_positives + p.false_positives)
                                                    : 1.0;
}

ranking compute_ranking(std::span<const double> score, const std::vector<bool>& positive) {
    std::vector<std::size_t> order(score.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
    ranking out;
    out.points.push_back({std::numeric_limits<double>::infinity(), 0, 0});
    ranking_point now;
    double twice_area = 0, precision_sum = 0;
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
        const ranking_point before = now;
        now.threshold = score[order[first]];
        for (end = first; end < order.size() && score[order[end]] == now.threshold; ++end)
            ++(positive[order[end]] ? now.true_positives : now.false_positives);
        // The area of a trapezium, so that ties count half.
        twice_area += static_cast<double>(now.false_positives - before.false_positives) *
                      static_cast<double>(now.true_positives + before.true_positives);
        precision_sum += ranking::precision(now) * static_cast<double>(now.true_positives - before.true_positives);
        out.points.push_back(now);
    }
    out.positives = now.true_positives;
    out.negatives = now.false_positives;
    const double pairs = static_cast<double>(now.true_positives) * static_cast<double>(now.false_positives);
    out.area = pairs > 0 ? twice_area / (2 * pairs) : undefined_value;
    out.average_precision =
        now.true_positives > 0 ? precision_sum / static_cast<double>(now.true_positives) : undefined_value;
    return out;
}

std::vector<ranking_point> corners(const ranking& all) {
    std::vector<ranking_point> out;
    for (std::size_t i = 0; i < all.points.size(); ++i) {
        if (i > 0 && i + 1 < all.points.size()) {
            const ranking_point &a = all.points[i - 1], &b = all.points[i], &c = all.points[i + 1];
            if (b.true_positives - a.true_positives == c.true_positives - b.true_positives &&
                b.false_positives - a.false_positives == c.false_positives - b.false_positives)
                continue;
        }
        out.push_back(all.points[i]);
    }
    return out;
}

std::vector<ranking_point> thin_out(const std::vector<ranking_point>& points, std::size_t most) {
    if (points.size() <= most || most < 2) return points;
    std::vector<ranking_point> out;
    for (std::size_t i = 0; i < most; ++i) out.push_back(points[i * (points.size() - 1) / (most - 1)]);
    return out;
}

reliability compute_reliability(std::span<const double> probability, const std::vector<bool>& positive, index bins) {
    reliability out;
    std::vector<reliability_bin> all(static_cast<std::size_t>(bins));
    const double k = static_cast<double>(bins), n = static_cast<double>(probability.size());
    for (std::size_t b = 0; b < all.size(); ++b)
        all[b].low = static_cast<double>(b) / k, all[b].high = static_cast<double>(b + 1) / k;
    for (std::size_t i = 0; i < probability.size(); ++i) {
        const double p = probability[i];
        auto& bin = all[static_cast<std::size_t>(std::clamp(std::ceil(p * k) - 1, 0.0, k - 1))];
        ++bin.count;
        bin.positive += positive[i];
        bin.mean += p;
        const double miss = p - (positive[i] ? 1 : 0);
        out.brier += miss * miss / n;
    }
    for (reliability_bin& bin : all) {
        if (bin.count == 0) continue;
        const auto count = static_cast<double>(bin.count);
        bin.mean /= count;
        bin.share = static_cast<double>(bin.positive) / count;
        bin.share_interval = wilson_interval(static_cast<double>(bin.positive), count);
        out.calibration_error += std::abs(bin.share - bin.mean) * count / n;
        out.bins.push_back(bin);
    }
    if (probability.empty()) out.brier = out.calibration_error = std::numeric_limits<double>::quiet_NaN();
    return out;
}

}  // namespace mercer
