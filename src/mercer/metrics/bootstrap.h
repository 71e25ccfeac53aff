// Intervals of 95 % for any figures of n examples: the figures of examples drawn again from them, with replacement,
// spread as those of new examples would (Efron 1979); the interval goes from the 2.5th to the 97.5th percentile.
//
//     bootstrap_intervals(n, 1, [&](std::span<const index> rows, std::span<double> out) { out[0] = mean_of(rows); });
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/metrics/wilson.h"

namespace mercer {

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
