#include "mercer/kernels/points/pair_distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numbers>

#include "mercer/base/context.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/word_counts.h"

namespace mercer {

named_embedding pair_distances::embedding() const {
    const auto describe = [sigma = sigma, cutoff = cutoff](const point_cloud& of, index) {
        std::map<std::uint64_t, std::vector<double>> found;  // the distances, by pair of elements
        cancellation_check stop_check;
        workspace held;
        std::size_t count = 0;
        for (index i = 0; i < of.size(); ++i) {
            stop_check.count(10 * static_cast<std::size_t>(i));
            held.grow_to(2 * sizeof(double) * (count + static_cast<std::size_t>(i)));
            for (index j = 0; j < i; ++j)
                if (const double d = of.distance(i, j); d < cutoff) {
                    const auto [low, high] =
                        std::minmax(of.elements[static_cast<std::size_t>(i)], of.elements[static_cast<std::size_t>(j)]);
                    found[static_cast<std::uint64_t>(low) << 8 | static_cast<std::uint64_t>(high)].push_back(d);
                    ++count;
                }
        }
        const auto last = static_cast<index>(cutoff / sigma);
        description out;
        std::vector<double> bins;
        for (auto& [pair, distances] : found) {
            std::ranges::sort(distances);  // so that the sums do not depend on the order of the points
            bins.assign(static_cast<std::size_t>(last) + 1, 0);
            for (const double d : distances) {
                const double root = std::cos(std::numbers::pi / 2 * d / cutoff), fade = root * root;
                const auto first = static_cast<index>(std::max(0.0, std::ceil(d / sigma - 6))),
                           end = std::min(last, static_cast<index>(std::floor(d / sigma + 6)));
                for (index b = first; b <= end; ++b) {
                    const double apart = d / sigma - static_cast<double>(b);
                    bins[static_cast<std::size_t>(b)] += fade * std::exp(-apart * apart / 2);
                }
            }
            for (std::size_t b = 0; b < bins.size(); ++b)
                if (bins[b] != 0) out.emplace_back(pair << 16 | b, bins[b]);
        }
        return out;
    };
    const auto write = [sigma = sigma](std::uint64_t name) {
        return fmt::format("{} and {}, {:.3g} apart", element_symbol(static_cast<std::int32_t>(name >> 24 & 255)),
                           element_symbol(static_cast<std::int32_t>(name >> 16 & 255)),
                           sigma * static_cast<double>(name & 0xffff));
    };
    return description_embedding<points>(fmt::format("pair distances {} {}", sigma, cutoff), describe, write);
}

}  // namespace mercer
