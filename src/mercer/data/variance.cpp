#include "mercer/data/variance.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"

namespace mercer {
namespace {

// Two sums that go from each process to the next one, and from the last to all.
class passed_on {
public:
    explicit passed_on(const process_group* group) : group_(group) {
        if (group && group->rank() > 0) group->receive(group->rank() - 1, sums, sizeof sums);
    }
    void finish() {
        if (!group_) return;
        if (group_->rank() + 1 < group_->size()) group_->send(group_->rank() + 1, sums, sizeof sums);
        const std::string last = group_->all(std::string(reinterpret_cast<const char*>(sums), sizeof sums)).back();
        std::memcpy(sums, last.data(), sizeof sums);
    }
    double sums[2] = {};

private:
    const process_group* group_;
};

}  // namespace

double entry_variance(const dataset& x, std::span<const double> weight, const process_group* group) {
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
                passed_on first(group);
                double &count = first.sums[0], &sum = first.sums[1];
                each([&](auto row) {
                    count += static_cast<double>(some.dims());
                    double part = 0;
                    for (const auto value : row) part += value;
                    sum += part;
                });
                first.finish();
                if (count == 0) return 0;
                // Σ(x-m)² over what is stored, and m² for every zero that is not.
                const double mean = sum / count;
                passed_on second(group);
                double &squares = second.sums[0], &stored = second.sums[1];
                each([&](auto row) {
                    double part = 0;
                    for (const auto value : row) part += (value - mean) * (value - mean);
                    squares += part;
                    stored += static_cast<double>(row.size());
                });
                second.finish();
                return (squares + (count - stored) * mean * mean) / count;
            } else {
                fail(errc::unsupported, fmt::format("variance: vectors are needed here, got {}", name(x.kind())));
            }
        },
        x.items());
}

}  // namespace mercer
