#include "mercer/methods/nystroem/gradient_gap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// fall: what an offset with this slope and curvature can gain by itself.
template <class Fall>
points::numbers larger_case(const points::point& g, const gradient_shape& s, const Fall& fall) {
    const index functions = g.rows() / s.problems;
    points::numbers out;
    for (index q = 0; q < s.problems; ++q) {
        double square = 0, slopes = 0, falls = 0;
        for (index c = q * functions; c < (q + 1) * functions; ++c) {
            for (index j = 0; j < s.m; ++j) square += g(c, j) * g(c, j);
            const double slope = g.cols() > s.m ? std::abs(g(c, s.m)) : 0, bend = s.bend[static_cast<std::size_t>(c)];
            if (slope == 0) continue;
            slopes += slope;
            falls += bend > 0 ? fall(slope, bend) : infinite;
        }
        const double all = std::sqrt(square) + (functions == 1 ? 2 : 4) * std::sqrt(s.largest) * slopes;
        out.push_back(std::max(square / (2 * s.lambda) + falls, all * all / (2 * s.lambda)));
    }
    return out;
}

}  // namespace

double gradient_gap(const points::point& g, const gradient_shape& shape, const row_losses& losses) {
    if (losses.quadratic() || losses.jumps()) return gradient_size(g, shape);
    return points::sum(larger_case(g, shape, [](double slope, double bend) {
        const double t = 2 * slope / bend;
        return t < 1 ? bend * (t + (1 - t) * std::log1p(-t)) : infinite;
    }));
}

double gradient_size(const points::point& g, const gradient_shape& shape) {
    return points::sum(gradient_sizes(g, shape));
}

points::numbers gradient_sizes(const points::point& g, const gradient_shape& shape) {
    return larger_case(g, shape, [](double slope, double bend) { return 2 * slope * slope / bend; });
}

}  // namespace mercer
