#include "mercer/kernel_analysis/same_features.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "mercer/data/compare_objects.h"
#include "mercer/data/part.h"
#include "mercer/kernels/features/explicit_features.h"

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
    constexpr std::size_t feature_bytes = std::size_t{64} << 20;
    constexpr index most_blocks = 256;
    const index block =
        std::max<index>(1, std::min(objects_within(k, x, feature_bytes), objects_within(k, z, feature_bytes)) / 2);
    const auto blocks = [&](const dataset& all) { return (all.size() + block - 1) / block; };
    if (blocks(x) * blocks(z) > most_blocks) return same_objects(x, z);
    std::vector<bool> out(static_cast<std::size_t>(x.size()));
    for (index r = 0; r < x.size(); r += block)
        for (index c = 0; c < z.size(); c += block) {
            const dataset right = part(z, c, std::min(block, z.size() - c));
            const object_features phi(k, part(x, r, std::min(block, x.size() - r)), &right);
            const std::vector<bool> found = same_rows(phi.x(), phi.z());
            for (std::size_t i = 0; i < found.size(); ++i)
                if (found[i]) out[static_cast<std::size_t>(r) + i] = true;
        }
    return out;
}

}  // namespace mercer
