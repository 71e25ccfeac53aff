#include "mercer/data/variance.h"

#include <fmt/format.h>

#include "mercer/base/error.h"

namespace mercer {

double entry_variance(const dataset& x, std::span<const double> weight) {
    if (!weight.empty() && static_cast<index>(weight.size()) != x.size())
        fail(errc::invalid_argument, fmt::format("variance: {} vectors but {} weights", x.size(), weight.size()));
    return std::visit(
        [&](const auto& some) -> double {
            if constexpr (requires { some.dims(); }) {
                const auto each = [&](auto visit) {
                    for (index i = 0; i < some.size(); ++i) {
                        if (!weight.empty() && weight[static_cast<std::size_t>(i)] == 0) continue;
                        if constexpr (requires { some.row(i); })
                            visit(std::span(some.row(i), static_cast<std::size_t>(some.dims())));
                        else
                            visit(some.values(i));
                    }
                };
                double count = 0, sum = 0;
                each([&](auto row) {
                    count += static_cast<double>(some.dims());
                    double part = 0;
                    for (const auto value : row) part += value;
                    sum += part;
                });
                if (count == 0) return 0;
                // Σ(x-m)² over what is stored, and m² for every zero that is not.
                const double mean = sum / count;
                double squares = 0, stored = 0;
                each([&](auto row) {
                    double part = 0;
                    for (const auto value : row) part += (value - mean) * (value - mean);
                    squares += part;
                    stored += static_cast<double>(row.size());
                });
                return (squares + (count - stored) * mean * mean) / count;
            } else {
                fail(errc::unsupported, fmt::format("variance: vectors are needed here, got {}", name(x.kind())));
            }
        },
        x.items());
}

}  // namespace mercer
