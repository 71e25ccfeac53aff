#include "mercer/metrics/ranking.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace mercer {
namespace {
constexpr double not_defined = std::numeric_limits<double>::quiet_NaN();
double share(index part, index of) {
    return of > 0 ? static_cast<double>(part) / static_cast<double>(of) : not_defined;
}
}  // namespace

double ranking::recall(const ranking_point& p) const { return share(p.right, positives); }
double ranking::fallout(const ranking_point& p) const { return share(p.wrong, negatives); }
double ranking::precision(const ranking_point& p) {
    return p.right + p.wrong > 0 ? share(p.right, p.right + p.wrong) : 1.0;
}

ranking ranking_of(std::span<const double> score, const std::vector<bool>& positive) {
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
            ++(positive[order[end]] ? now.right : now.wrong);
        // A trapezium: ties count half.
        twice_area += static_cast<double>(now.wrong - before.wrong) * static_cast<double>(now.right + before.right);
        precision_sum += ranking::precision(now) * static_cast<double>(now.right - before.right);
        out.points.push_back(now);
    }
    out.positives = now.right;
    out.negatives = now.wrong;
    const double pairs = static_cast<double>(now.right) * static_cast<double>(now.wrong);
    out.area = pairs > 0 ? twice_area / (2 * pairs) : not_defined;
    out.average_precision = now.right > 0 ? precision_sum / static_cast<double>(now.right) : not_defined;
    return out;
}

std::vector<ranking_point> corners(const ranking& all) {
    std::vector<ranking_point> out;
    for (std::size_t i = 0; i < all.points.size(); ++i) {
        if (i > 0 && i + 1 < all.points.size()) {
            const ranking_point &a = all.points[i - 1], &b = all.points[i], &c = all.points[i + 1];
            if (b.right - a.right == c.right - b.right && b.wrong - a.wrong == c.wrong - b.wrong) continue;
        }
        out.push_back(all.points[i]);
    }
    return out;
}

std::vector<ranking_point> thinned(const std::vector<ranking_point>& points, std::size_t most) {
    if (points.size() <= most || most < 2) return points;
    std::vector<ranking_point> out;
    for (std::size_t i = 0; i < most; ++i) out.push_back(points[i * (points.size() - 1) / (most - 1)]);
    return out;
}

}  // namespace mercer
