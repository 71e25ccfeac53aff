// An interval of 95 % for a share: `right` of `n` were, what is the share of all?
//
//     (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n),    p = right/n
//
// It keeps to [0, 1] and holds for few examples and for shares near 0 and 1, where p ± z √(p(1-p)/n) does not (Wilson
// 1927, Probable inference, the law of succession, and statistical inference, JASA 22).
#pragma once

#include <algorithm>
#include <cmath>

namespace mercer {

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

}  // namespace mercer
