// The squared distance below which ‖x‖² + ‖z‖² - 2xᵀz is not accurate enough for a kernel, so that it is computed again
// from the coordinate differences xₐ - zₐ. Internal to this folder.
//
// However close x and z are, rounding leaves an error of about E = u·(‖x‖²·(1 + √d/2) + ‖z‖²·(1 + √d'/2)) in that sum;
// u is the unit roundoff, d and d' are the numbers of nonzero coordinates (xᵀz has no more terms than the sparser
// vector has). A decreasing, convex f turns it into an error of at most E·|f'(t)|. That is small enough beyond some
// distance θ(E), where f is flat, but not always for close pairs far from the origin. The threshold of an object is
// θ(E) for twice its own part of E. A pair whose t is below the larger of its two thresholds is computed again from the
// differences. This depends on the pair alone, so a value does not depend on the other values of a call.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/formula_call.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::evaluation {

template <class T>
class cancellation_threshold {
public:
    static constexpr T never = -1;  // threshold below which no squared distance lies

    // `maps`: the maps of one statistic. `units`: the error they may have, in units of rounding of f(0) = 1.
    cancellation_threshold(std::vector<formula_call> maps, double units)
        : maps_(std::move(maps)), allowed_(units * unit) {}

    // Returns θ for an object with this squared norm, which is a sum of `terms` nonzero terms.
    T threshold(double squared_norm, index terms) {
        const double error = unit * 2 * squared_norm * (1 + 0.5 * std::sqrt(static_cast<double>(terms)));
        if (!(error > 0) || !std::isfinite(error)) return never;
        // The error is rounded up to a power of √2, so that only few thresholds are computed.
        const int step = static_cast<int>(std::ceil(2 * std::log2(error)));
        const auto [at, fresh] = known_.try_emplace(step, never);
        if (fresh)
            for (const formula_call& f : maps_)
                at->second = std::max(at->second, static_cast<T>(threshold_of(f, std::exp2(0.5 * step))));
        return at->second;
    }

private:
    static constexpr double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;

    double threshold_of(const formula_call& f, double error) const {
        const auto at = values(f, {0, error});
        if (at[0] - at[1] <= allowed_) return never;
        // Since f is convex, |f'(t)| is at most the slope of the chord from 0.9t to t. Returning t + error ensures that
        // the true distance is at least t.
        for (double t = 2 * error; t < 1e300; t *= 1.2) {
            const auto chord = values(f, {0.9 * t, t});
            if (error * (chord[0] - chord[1]) <= allowed_ * 0.1 * t) return t + error;
        }
        return 1e300;
    }

    static std::array<double, 2> values(const formula_call& f, const std::array<double, 2>& t) {
        const auto& ops = best_tile_ops<double>();
        buffer<double> in(2 * ops.lanes), out(2 * ops.lanes);
        std::copy(t.begin(), t.end(), in.data());
        double* to = out.data();
        ops.map({f, map_input::value, in.data(), in.size(), &to, nullptr, nullptr, 1, in.size()});
        return {out[0], out[1]};
    }

    std::vector<formula_call> maps_;
    double allowed_;
    std::unordered_map<int, T> known_;
};

}  // namespace mercer::evaluation
