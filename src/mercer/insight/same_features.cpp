#include "mercer/insight/same_features.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "mercer/data/compare_objects.h"
#include "mercer/kernels/features/object_features.h"

namespace mercer {
namespace {

std::uint64_t hash_of(const sparse<double>& rows, index i) {
    std::uint64_t hash = 0x9e3779b97f4a7c15u;
    const auto mix = [&](std::uint64_t word) {
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    };
    for (std::size_t e = 0; e < rows.cols(i).size(); ++e) {
        mix(static_cast<std::uint64_t>(rows.cols(i)[e]));
        mix(std::bit_cast<std::uint32_t>(static_cast<float>(rows.values(i)[e])));
    }
    return hash;
}

bool same(const sparse<double>& a, index i, const sparse<double>& b, index j) {
    return std::ranges::equal(a.cols(i), b.cols(j)) &&
           std::ranges::equal(a.values(i), b.values(j),
                              [](double u, double v) { return static_cast<float>(u) == static_cast<float>(v); });
}

std::vector<bool> same_rows(const sparse<double>& x, const sparse<double>& z) {
    std::unordered_multimap<std::uint64_t, index> known;
    for (index j = 0; j < z.size(); ++j) known.emplace(hash_of(z, j), j);
    std::vector<bool> out(static_cast<std::size_t>(x.size()));
    for (index i = 0; i < x.size(); ++i) {
        const auto [first, last] = known.equal_range(hash_of(x, i));
        out[static_cast<std::size_t>(i)] =
            std::any_of(first, last, [&](const auto& each) { return same(x, i, z, each.second); });
    }
    return out;
}

std::vector<bool> same_objects(const dataset& x, const dataset& z) {
    std::vector<index> order(static_cast<std::size_t>(z.size()));
    std::iota(order.begin(), order.end(), index{0});
    std::ranges::sort(order, [&](index a, index b) { return compare_objects(z, a, z, b) < 0; });
    std::vector<bool> out(static_cast<std::size_t>(x.size()));
    for (index i = 0; i < x.size(); ++i) {
        const auto at =
            std::partition_point(order.begin(), order.end(), [&](index j) { return compare_objects(z, j, x, i) < 0; });
        out[static_cast<std::size_t>(i)] = at != order.end() && compare_objects(z, *at, x, i) == 0;
    }
    return out;
}

}  // namespace

std::vector<bool> same_in_feature_space(const kernel& k, const dataset& x, const dataset& z) {
    if (!has_sparse_features(k)) return same_objects(x, z);
    const object_features phi(k, x, &z);
    return same_rows(phi.x(), phi.z());
}

}  // namespace mercer
