#include "mercer/methods/svm/example_order.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <string_view>

namespace mercer {
namespace {

// Vectors of one data set have no NaN (fits check that first), so the order is total.
template <class T>
std::partial_ordering compare(const dense<T>& x, index a, index b) {
    return std::lexicographical_compare_three_way(x.row(a), x.row(a) + x.dims(), x.row(b), x.row(b) + x.dims());
}

// As the dense rows they stand for: what is not stored is zero.
template <class T>
std::partial_ordering compare(const sparse<T>& x, index a, index b) {
    const auto a_cols = x.cols(a), b_cols = x.cols(b);
    const auto a_values = x.values(a), b_values = x.values(b);
    std::size_t i = 0, j = 0;
    while (i < a_cols.size() || j < b_cols.size()) {
        const bool in_a = i < a_cols.size() && (j == b_cols.size() || a_cols[i] <= b_cols[j]);
        const bool in_b = j < b_cols.size() && (i == a_cols.size() || b_cols[j] <= a_cols[i]);
        const auto c = (in_a ? a_values[i++] : T{0}) <=> (in_b ? b_values[j++] : T{0});
        if (c != 0) return c;
    }
    return std::partial_ordering::equivalent;
}

std::partial_ordering compare(const objects& x, index a, index b) { return x.compare(a, x, b); }

}  // namespace

std::vector<index> example_ranks(const dataset& x, std::span<const double> y, std::span<const double> weight) {
    std::vector<index> order(static_cast<std::size_t>(x.size())), rank(order.size());
    std::iota(order.begin(), order.end(), index{0});
    std::visit(
        [&](const auto& some) {
            std::stable_sort(order.begin(), order.end(), [&](index a, index b) {
                if (const auto c = compare(some, a, b); c != 0) return c < 0;
                if (!y.empty() && y[a] != y[b]) return y[a] < y[b];
                return !weight.empty() && weight[a] < weight[b];
            });
        },
        x.items());
    for (std::size_t place = 0; place < order.size(); ++place) rank[order[place]] = static_cast<index>(place);
    return rank;
}

}  // namespace mercer
