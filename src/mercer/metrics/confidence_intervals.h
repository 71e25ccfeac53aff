// Confidence intervals (95 %) for proportions and for metrics of n examples.
//
// Example:
//
//     const interval accuracy = wilson_interval(95, 100);  // 95 of 100 examples are classified correctly
//     assert(accuracy.low > 0.88 && accuracy.high < 0.98);
//     const std::vector<double> errors = {1, 2, 3, 4, 5};
//     const std::vector<interval> mean =
//         bootstrap_intervals(5, 1, [&](std::span<const mercer::index> rows, std::span<double> out) {
//             out[0] = 0;
//             for (const mercer::index i : rows) out[0] += errors[static_cast<std::size_t>(i)] / 5;
//         });
//     assert(mean[0].low < 3 && mean[0].high > 3);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// The Wilson interval (95 %) of a proportion, from `right` successes in `n` trials:
//
//     (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n),    p = right/n,    z = 1.96
//
// The interval lies within [0, 1] and is accurate for few trials and for proportions near 0 and 1, where p ± z
// √(p(1-p)/n) is not (Wilson 1927, Probable inference, the law of succession, and statistical inference, JASA 22).

struct interval {
    double low = 0, high = 0;
};

inline constexpr double normal_97_5 = 1.959963984540054;  // 97.5 % quantile of the standard normal distribution

inline interval wilson_interval(double right, double n) {
    if (!(n > 0)) return {0, 1};
    const double p = right / n, z2 = normal_97_5 * normal_97_5 / n;
    const double centre = (p + z2 / 2) / (1 + z2), half = std::sqrt(z2 * (p * (1 - p) + z2 / 4)) / (1 + z2);
    return {p > 0 ? std::max(0.0, centre - half) : 0.0, p < 1 ? std::min(1.0, centre + half) : 1.0};
}

// Bootstrap intervals (95 %) for statistics of n examples: the statistics are computed on samples drawn from the
// examples with replacement (Efron 1979); the interval goes from their 2.5th to their 97.5th percentile.
//
//     bootstrap_intervals(n, 1, [&](std::span<const index> rows, std::span<double> out) { out[0] = mean_of(rows); });

struct bootstrap_options {
    index resamples = 1000;
    std::uint64_t seed = 1;
};

// Returns one interval for each of the `figures` statistics that `figures_of` writes. figures_of(rows, out) writes the
// statistics of the examples `rows`, in which an example may occur several times, to `out`. It is called from several
// threads; the result does not depend on their number. Values that are not finite on a sample (a class may be missing)
// are left out; the interval is NaN if no sample has a finite value.
std::vector<interval> bootstrap_intervals(
    index n, index figures, const std::function<void(std::span<const index> rows, std::span<double> out)>& figures_of,
    const bootstrap_options& options = {});

// Returns the quantile of ascending values at `share` (0 to 1), linearly interpolated between two values; NaN if there
// are no values.
double percentile(std::span<const double> sorted, double share);

}  // namespace mercer
