#include "mercer/data/finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/row_error.h"
#include "mercer/base/threads.h"

namespace mercer {
namespace {

// Without branches over the values: NaN compares as false.
template <class T>
bool all_finite(const T* values, index count) {
    int faults = 0;
    for (index j = 0; j < count; ++j) faults += !(std::abs(values[j]) <= std::numeric_limits<T>::max());
    return faults == 0;
}

// The first fault of each tile of rows; `values(first, end)` are those of some rows that lie one after the other,
// `column(i, k)` is the column of the k-th value of row i. At most `together` rows are looked at in one go.
template <class Values, class Column>
std::optional<not_finite_value> first_fault(index rows, index values_a_row, index together, Values values,
                                            Column column) {
    const index tile = std::max<index>(1, (index{1} << 16) / std::max<index>(values_a_row, 1)),
                step = std::min(tile, together);
    std::vector<std::optional<not_finite_value>> found(static_cast<std::size_t>((rows + tile - 1) / tile));
    const auto name_first = [&](index first, index end) -> std::optional<not_finite_value> {
        for (index i = first; i < end; ++i) {
            const auto some = values(i, i + 1);
            const auto bad = std::find_if(some.begin(), some.end(), [](auto value) { return !std::isfinite(value); });
            if (bad != some.end()) return not_finite_value{i, column(i, bad - some.begin()), static_cast<double>(*bad)};
        }
        return {};
    };
    parallel_for(static_cast<index>(found.size()), [&](index t) {
        auto& fault = found[static_cast<std::size_t>(t)];
        const index last = std::min(rows, (t + 1) * tile);
        for (index first = t * tile; first < last && !fault; first += step) {
            const index end = std::min(last, first + step);
            const auto some = values(first, end);
            if (!all_finite(some.data(), static_cast<index>(some.size()))) fault = name_first(first, end);
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
                const auto values = [&](index first, index end) {
                    return std::span(some.row(first), static_cast<std::size_t>((end - first) * some.dims()));
                };
                const bool without_gaps = some.view().stride == some.dims();
                return first_fault(some.size(), some.dims(), without_gaps ? some.size() : 1, values,
                                   [](index, index k) { return k; });
            } else if constexpr (requires { some.values(0); }) {
                const auto values = [&](index first, index end) {
                    return std::span(some.values(first).data(), std::to_address(some.values(end - 1).end()));
                };
                const index mean = some.size() > 0 ? some.nonzeros() / some.size() : 0;
                return first_fault(some.size(), mean, some.size(), values, [&](index i, index k) {
                    return static_cast<index>(some.cols(i)[static_cast<std::size_t>(k)]);
                });
            } else {
                return {};
            }
        },
        vectors.items());
}

void require_finite(const dataset& vectors) {
    if (const auto bad = first_not_finite(vectors))
        throw row_error(bad->row, bad->column, fmt::format("{} is not a finite number", bad->value));
}

}  // namespace mercer
