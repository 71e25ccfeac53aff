// An order of the objects of one kind, by what they hold.
#pragma once

#include <algorithm>
#include <compare>

#include "mercer/data/dataset.h"

namespace mercer {

// Vectors have no NaN here (fits check that first), so the order is total.
template <class T>
std::partial_ordering compare_objects(const dense<T>& x, index i, const dense<T>& z, index j) {
    return std::lexicographical_compare_three_way(x.row(i), x.row(i) + x.dims(), z.row(j), z.row(j) + z.dims());
}

// As the dense rows they stand for: what is not stored is zero.
template <class T>
std::partial_ordering compare_objects(const sparse<T>& x, index i, const sparse<T>& z, index j) {
    const auto x_cols = x.cols(i), z_cols = z.cols(j);
    const auto x_values = x.values(i), z_values = z.values(j);
    std::size_t a = 0, b = 0;
    while (a < x_cols.size() || b < z_cols.size()) {
        const bool in_x = a < x_cols.size() && (b == z_cols.size() || x_cols[a] <= z_cols[b]);
        const bool in_z = b < z_cols.size() && (a == x_cols.size() || z_cols[b] <= x_cols[a]);
        const auto c = (in_x ? x_values[a++] : T{0}) <=> (in_z ? z_values[b++] : T{0});
        if (c != 0) return c;
    }
    return std::partial_ordering::equivalent;
}

inline std::partial_ordering compare_objects(const objects& x, index i, const objects& z, index j) {
    return x.compare(i, z, j);
}

// Of data sets of the same storage; others have no order.
inline std::partial_ordering compare_objects(const dataset& x, index i, const dataset& z, index j) {
    return std::visit(
        [&](const auto& some) -> std::partial_ordering {
            const auto* other = z.as<std::decay_t<decltype(some)>>();
            if (!other || x.kind() != z.kind()) return std::partial_ordering::unordered;
            return compare_objects(some, i, *other, j);
        },
        x.items());
}

}  // namespace mercer
