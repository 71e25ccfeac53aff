// Intervals of 95 %.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// An interval of 95 % for a share: `right` of `n` were, what is the share of all?
//
//     (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n),    p = right/n
//
// It keeps to [0, 1] and holds for few examples and for shares near 0 and 1, where p ± z √(p(1-p)/n) does not (Wilson
// 1927, Probable inference, the law of succession, and statistical inference, JASA 22).

struct interval {
    double low = 0, high = 0;
};

inline constexpr double normal_97_5 = 1.959963984540054;  // 97.5 % of a normal distribution lie below it

inline interval wilson_interval(double right, double n) {
    if (!(n > 0)) return {0, 1};
    const double p = right / n, z2 = normal_97_5 * normal_97_5 / n;
    const double centre = (p + z2 / 2) / (1 + z2), half = std::sqrt(z2 * (p * (1 - p) + z2 / 4)) / (1 + z2);
    return {p > 0 ? std::max(0.0, centre - half) : 0.0, p < 1 ? std::min(1.0, centre + half) : 1.0};
}

// Intervals of 95 % for any figures of n examples: the figures of examples drawn again from them, with replacement,
// spread as those of new examples would (Efron 1979); the interval goes from the 2.5th to the 97.5th percentile.
//
//     bootstrap_intervals(n, 1, [&](std::span<const index> rows, std::span<double> out) { out[0] = mean_of(rows); });

struct bootstrap_options {
    index resamples = 1000;
    std::uint64_t seed = 1;
};

// The same for any number of threads. Figures that are not finite on some draw (a class that is not there) are left
// out; NaN where none is.
std::vector<interval> bootstrap_intervals(
    index n, index figures, const std::function<void(std::span<const index> rows, std::span<double> out)>& figures_of,
    const bootstrap_options& options = {});

// The value below which this share of the sorted values lies, linear between two of them.
double percentile(std::span<const double> sorted, double share);

}  // namespace mercer
