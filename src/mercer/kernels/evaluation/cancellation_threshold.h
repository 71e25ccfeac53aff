// When ‖x‖² + ‖z‖² - 2xᵀz is good enough for a function of the squared distance, and when it takes the differences
// xₐ-zₐ.
//
// Rounding leaves an error of about E = u·(‖x‖²·(1 + √d/2) + ‖z‖²·(1 + √d'/2)) in that sum, u the unit roundoff, d and
// d' the numbers of coordinates that are not zero (xᵀz has no more terms than the sparser of them), however close x and
// z are. A decreasing, convex f makes at most E·|f'(t)| of it: enough beyond some distance θ(E), where f is flat, but
// perhaps not for close pairs far from the origin. Every object has a threshold θ(E) of twice its own part; a pair with
// t below the larger of its two thresholds is computed again from differences, the others are right as they are. Which
// way a pair goes depends on the pair alone, so its value does not depend on what else is asked for.
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
class doubt {
public:
    static constexpr T never = -1;  // no squared distance is below it

    // Of the maps of one statistic; units of rounding of f(0) = 1 that are allowed.
    doubt(std::vector<map_call> maps, double units) : maps_(std::move(maps)), allowed_(units * unit) {}

    // θ of an object with this squared norm, a sum of so many terms.
    T threshold(double squared_norm, index terms) {
        const double error = unit * 2 * squared_norm * (1 + 0.5 * std::sqrt(static_cast<double>(terms)));
        if (!(error > 0) || !std::isfinite(error)) return never;
        // Steps of a factor √2, so that few different ones are ever worked out.
        const int step = static_cast<int>(std::ceil(2 * std::log2(error)));
        const auto [at, fresh] = known_.try_emplace(step, never);
        if (fresh)
            for (const map_call& f : maps_)
                at->second = std::max(at->second, static_cast<T>(threshold_of(f, std::exp2(0.5 * step))));
        return at->second;
    }

private:
    static constexpr double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;

    double threshold_of(const map_call& f, double error) const {
        const auto at = values(f, {0, error});
        if (at[0] - at[1] <= allowed_) return never;
        // |f'| at t is at most the slope of the chord from 0.9t to t. θ is past the error itself, so that t is known to
        // be beyond it.
        for (double t = 2 * error; t < 1e300; t *= 1.2) {
            const auto chord = values(f, {0.9 * t, t});
            if (error * (chord[0] - chord[1]) <= allowed_ * 0.1 * t) return t + error;
        }
        return 1e300;
    }

    static std::array<double, 2> values(const map_call& f, const std::array<double, 2>& t) {
        const auto& ops = best_tile_ops<double>();
        buffer<double> in(2 * ops.lanes), out(2 * ops.lanes);
        std::copy(t.begin(), t.end(), in.data());
        double* to = out.data();
        ops.map({f, map_input::value, in.data(), in.size(), &to, nullptr, nullptr, 1, in.size()});
        return {out[0], out[1]};
    }

    std::vector<map_call> maps_;
    double allowed_;
    std::unordered_map<int, T> known_;
};

}  // namespace mercer::evaluation
