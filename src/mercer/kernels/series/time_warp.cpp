#include "mercer/kernels/series/time_warp.h"

#include <algorithm>
#include <limits>

#include "mercer/base/context.h"
#include "mercer/kernels/object_pairs.h"
#include "mercer/kernels/series/alignments.h"

namespace mercer {
namespace {

double warping_distance(const one_series& x, const one_series& y) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    std::vector<double> above(static_cast<std::size_t>(y.size()) + 1, infinite);
    above[0] = 0;
    cancellation_check stop_check;
    for (index i = 0; i < x.size(); ++i) {
        stop_check.count(above.size());
        double corner = above[0], left = infinite;
        above[0] = infinite;
        for (index j = 0; j < y.size(); ++j) {
            const double up = above[static_cast<std::size_t>(j) + 1];
            left = squared_distance_at(x, i, y, j) + std::min(corner, std::min(up, left));
            corner = up;
            above[static_cast<std::size_t>(j) + 1] = left;
        }
    }
    return above.back();
}

}  // namespace

int time_warp::emit(plan_builder& code) const {
    return emit_ordered_pairs<series>(
        code, "time_warp", [](const one_series& x) { return &x; },
        [rate = gamma](const one_series* x, std::span<const one_series* const* const> others, double* out) {
            for (std::size_t p = 0; p < others.size(); ++p) {
                require_same_dims("time_warp", *x, **others[p]);
                out[p] = std::exp(-rate * warping_distance(*x, **others[p]));
            }
        });
}

}  // namespace mercer
