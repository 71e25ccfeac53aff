#include "mercer/estimators/example_order.h"

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

template <class T>
std::partial_ordering compare(const sparse<T>& x, index a, index b) {
    const auto c = std::lexicographical_compare_three_way(x.cols(a).begin(), x.cols(a).end(), x.cols(b).begin(), x.cols(b).end());
    if (c != 0) return c;
    return std::lexicographical_compare_three_way(x.values(a).begin(), x.values(a).end(), x.values(b).begin(), x.values(b).end());
}

std::partial_ordering compare(const strings& x, index a, index b) { return x[a] <=> x[b]; }

std::partial_ordering compare(const sets& x, index a, index b) {
    return std::lexicographical_compare_three_way(x[a].begin(), x[a].end(), x[b].begin(), x[b].end());
}

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
