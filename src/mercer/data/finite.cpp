#include "mercer/data/finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"

namespace mercer {
namespace {

// Without branches over the values: NaN compares as false.
template <class T>
bool all_finite(const T* values, index count) {
    int faults = 0;
    for (index j = 0; j < count; ++j) faults += !(std::abs(values[j]) <= std::numeric_limits<T>::max());
    return faults == 0;
}

// The first fault of each tile of rows; `row(i)` gives the values of a row, `column(i, k)` the column of its k-th.
template <class Row, class Column>
std::optional<not_finite_value> first_fault(index rows, index values_a_row, Row row, Column column) {
    const index tile = std::max<index>(1, (index{1} << 16) / std::max<index>(values_a_row, 1));
    std::vector<std::optional<not_finite_value>> found(static_cast<std::size_t>((rows + tile - 1) / tile));
    parallel_for(static_cast<index>(found.size()), [&](index t) {
        for (index i = t * tile; i < std::min(rows, (t + 1) * tile) && !found[static_cast<std::size_t>(t)]; ++i) {
            const auto values = row(i);
            if (all_finite(values.data(), static_cast<index>(values.size()))) continue;
            const auto bad = std::find_if(values.begin(), values.end(), [](auto value) { return !std::isfinite(value); });
            found[static_cast<std::size_t>(t)] = not_finite_value{i, column(i, bad - values.begin()), static_cast<double>(*bad)};
        }
    });
    for (const auto& each : found)
        if (each) return each;
    return {};
}

}  // namespace

std::optional<not_finite_value> first_not_finite(const dataset& vectors) {
    return std::visit(
        [](const auto& some) -> std::optional<not_finite_value> {
            if constexpr (requires { some.row(0); }) {
                const auto row = [&](index i) { return std::span(some.row(i), static_cast<std::size_t>(some.dims())); };
                return first_fault(some.size(), some.dims(), row, [](index, index k) { return k; });
            } else if constexpr (requires { some.values(0); }) {
                const auto row = [&](index i) { return some.values(i); };
                const index mean = some.size() > 0 ? some.nonzeros() / some.size() : 0;
                return first_fault(some.size(), mean, row, [&](index i, index k) { return static_cast<index>(some.cols(i)[static_cast<std::size_t>(k)]); });
            } else {
                return {};
            }
        },
        vectors.items());
}

void require_finite(const dataset& vectors) {
    if (const auto bad = first_not_finite(vectors))
        fail(errc::data, fmt::format("row {}, column {}: {} is not a finite number", bad->row, bad->column, bad->value));
}

}  // namespace mercer
