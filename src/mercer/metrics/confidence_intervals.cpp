#include "mercer/metrics/confidence_intervals.h"

#include <limits>

#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"

namespace mercer {

double percentile(std::span<const double> sorted, double share) {
    if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const double rest = at - static_cast<double>(below);
    return rest > 0 ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
}

std::vector<interval> bootstrap_intervals(
    index n, index figures, const std::function<void(std::span<const index> rows, std::span<double> out)>& figures_of,
    const bootstrap_options& options) {
    matrix<double> found(options.resamples, figures);
    if (n > 0)
        parallel_for(options.resamples, [&](index b) {
            random_generator random(options.seed + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(b + 1));
            std::vector<index> rows(static_cast<std::size_t>(n));
            for (index& each : rows) each = random.below(n);
            figures_of(rows, {found.row(b), static_cast<std::size_t>(figures)});
        });
    std::vector<interval> out;
    for (index f = 0; f < figures; ++f) {
        std::vector<double> values;
        for (index b = 0; b < options.resamples && n > 0; ++b)
            if (std::isfinite(found(b, f))) values.push_back(found(b, f));
        std::ranges::sort(values);
        out.push_back({percentile(values, 0.025), percentile(values, 0.975)});
    }
    return out;
}

}  // namespace mercer
