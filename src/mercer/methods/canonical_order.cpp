#include "mercer/methods/canonical_order.h"

#include <algorithm>
#include <numeric>

#include "mercer/data/dataset.h"

namespace mercer {

std::vector<index> canonical_ranks(const dataset& x, std::span<const double> y, std::span<const double> weight) {
    std::vector<index> order(static_cast<std::size_t>(x.size())), rank(order.size());
    std::iota(order.begin(), order.end(), index{0});
    std::visit(
        [&](const auto& some) {
            std::stable_sort(order.begin(), order.end(), [&](index a, index b) {
                if (const auto c = compare_objects(some, a, some, b); c != 0) return c < 0;
                if (!y.empty() && y[a] != y[b]) return y[a] < y[b];
                return !weight.empty() && weight[a] < weight[b];
            });
        },
        x.items());
    for (std::size_t place = 0; place < order.size(); ++place) rank[order[place]] = static_cast<index>(place);
    return rank;
}

}  // namespace mercer
