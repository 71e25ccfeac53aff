#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/solvers/newton/solve_representer.h"

namespace mercer {

double best_offset(const rounded_loss& l, std::span<const double> y, std::span<const double> weight,
                   std::span<const double> f, std::span<const double> centre, double start) {
    struct slopes {
        double first, second;
    };
    const auto at = [&](double b) {
        slopes sum{0, 0};
        for (std::size_t i = 0; i < y.size(); ++i) {
            const auto each = l(y[i], f[i] + b, centre[i]);
            sum.first += weight[i] * each.first, sum.second += weight[i] * each.second;
        }
        return sum;
    };
    // A bracket [low, high] with slopes of either sign, then Newton's method that falls back on halving it.
    double b = start, low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    double width = 1;
    for (int step = 0; step < 400; ++step) {
        const slopes s = at(b);
        if (s.first == 0) return b;
        if (std::isnan(s.first))
            return start;  // infinities of both signs: a trial point far out, which the line search will refuse
        (s.first > 0 ? high : low) = b;
        if (!std::isfinite(low) || !std::isfinite(high)) {
            if (width > 1e300)
                fail(errc::infeasible,
                     "representer: the loss falls for ever as the offset grows: there is no best offset (are all "
                     "targets of one kind?)");
            b += s.first > 0 ? -width : width;
            width *= 2;
            continue;
        }
        if (high - low <= 4e-16 * std::max(std::abs(low), std::abs(high))) break;
        const double guess = s.second > 0 && std::isfinite(s.first) ? b - s.first / s.second : low;
        const double next = guess > low && guess < high && step % 3 != 2 ? guess : low + 0.5 * (high - low);
        if (next == b || next <= low || next >= high) break;
        b = next;
    }
    return b;
}

}  // namespace mercer
