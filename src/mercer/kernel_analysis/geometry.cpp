
#include "mercer/kernel_analysis/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/features/explicit_features.h"

namespace mercer {
namespace {

using numbers = std::vector<double>;

numbers diagonal_of(const gram<double>& k) {
    if (k.rows() != k.cols())
        fail(errc::invalid_argument,
             fmt::format("geometry: the matrix must be square, got {} × {}", k.rows(), k.cols()));
    numbers self(static_cast<std::size_t>(k.rows()));
    k.diagonal(self);
    return self;
}

matrix<double> distances_from(matrix<double> k, const numbers& rows, const numbers& cols) {
    parallel_for(k.rows(), [&](index i) {
        for (index j = 0; j < k.cols(); ++j)
            k(i, j) = squared_distance(rows[static_cast<std::size_t>(i)], cols[static_cast<std::size_t>(j)], k(i, j));
    });
    return k;
}

matrix<double> to_matrix(const gram<double>& k) {
    matrix<double> all(k.rows(), k.cols());
    k.fill(all.view());
    return all;
}

numbers square_roots(numbers self) {
    for (std::size_t i = 0; i < self.size(); ++i) {
        if (!(self[i] >= 0))
            fail(errc::not_psd, fmt::format("cosine: must satisfy k(x, x) >= 0, got {} for object {}", self[i], i));
        self[i] = std::sqrt(self[i]);
    }
    return self;
}

matrix<double> cosines_from(matrix<double> k, const numbers& rows, const numbers& cols) {
    parallel_for(k.rows(), [&](index i) {
        const double a = rows[static_cast<std::size_t>(i)];
        for (index j = 0; j < k.cols(); ++j) {
            const double b = cols[static_cast<std::size_t>(j)];
            // Divides twice, because the product of two roots of very large or very small values could overflow or
            // underflow.
            k(i, j) = a > 0 && b > 0 ? k(i, j) / a / b : 0.0;
        }
    });
    return k;
}

// The row sums of K.
numbers row_sums(const gram<double>& k) {
    matrix<double> ones(k.cols(), 1), sums(k.rows(), 1);
    std::fill_n(ones.data(), k.cols(), 1.0);
    k.multiply(ones.view(), sums.view());
    return {sums.data(), sums.data() + k.rows()};
}

void require_members(index count) {
    if (count < 1) fail(errc::invalid_argument, "geometry: a group must have at least one member, got 0");
}

void require_rows(const gram<double>& k, std::span<const index> group) {
    require_members(static_cast<index>(group.size()));
    for (const index i : group)
        if (i < 0 || i >= k.rows())
            fail(errc::invalid_argument,
                 fmt::format("geometry: a member must satisfy 0 <= i < {}, got {}", k.rows(), i));
}

// The squared distances to the mean of a group. `to_group` holds Σ k(x, g) over the group for each x, `within` the same
// sums for each member.
numbers distances_to_mean(const numbers& self, const numbers& to_group, const numbers& within) {
    const auto m = static_cast<double>(within.size());
    double mean_norm = 0;  // ‖mean‖²
    for (const double sum : within) mean_norm += sum / m / m;
    numbers d(self.size());
    for (std::size_t i = 0; i < d.size(); ++i)
        d[i] = squared_distance(self[i], mean_norm, to_group[i] / m, within.size());
    return d;
}

// Computes K in batches of rows and reduces each batch to its sums of dissimilarities.
medoid_result medoid_of(const gram<double>& k, dissimilarity measure) {
    constexpr index batch = 64;
    const index n = k.rows();
    require_members(n);
    const numbers self = diagonal_of(k);
    numbers sums(static_cast<std::size_t>(n));
    parallel_for((n + batch - 1) / batch, [&](index b) {
        const index first = b * batch, count = std::min(batch, n - first);
        matrix<double> tile(count, n);
        k.block(row_set(first, count), row_set(0, n), tile.view());
        for (index i = 0; i < count; ++i) {
            double sum = 0;
            for (index j = 0; j < n; ++j) {
                const double d = squared_distance(self[static_cast<std::size_t>(first + i)],
                                                  self[static_cast<std::size_t>(j)], tile(i, j));
                if (measure == dissimilarity::squared_distance)
                    sum += d;
                else if (d >= 0)
                    sum += std::sqrt(d);
                else
                    fail(errc::not_psd,
                         fmt::format("medoid: squared distances must be >= 0, got {} between members {} and {}", d,
                                     first + i, j));
            }
            sums[static_cast<std::size_t>(first + i)] = sum;
        }
    });
    const auto best = std::min_element(sums.begin(), sums.end());
    return {best - sums.begin(), *best};
}

}  // namespace

matrix<double> squared_distances(const kernel& k, const dataset& x, const dataset& z) {
    return distances_from(to_matrix(*make_gram<double>(k, x, z)), kernel_diagonal(k, x), kernel_diagonal(k, z));
}
matrix<double> squared_distances(const kernel& k, const dataset& x) {
    return squared_distances(*make_gram<double>(k, x));
}
matrix<double> squared_distances(const gram<double>& k) {
    const numbers self = diagonal_of(k);
    matrix<double> d = distances_from(to_matrix(k), self, self);
    for (index i = 0; i < d.rows(); ++i) d(i, i) = 0;
    return d;
}

matrix<double> cosines(const kernel& k, const dataset& x, const dataset& z) {
    return cosines_from(to_matrix(*make_gram<double>(k, x, z)), square_roots(kernel_diagonal(k, x)),
                        square_roots(kernel_diagonal(k, z)));
}
matrix<double> cosines(const kernel& k, const dataset& x) { return cosines(*make_gram<double>(k, x)); }
matrix<double> cosines(const gram<double>& k) {
    const numbers self = square_roots(diagonal_of(k));
    return cosines_from(to_matrix(k), self, self);
}

numbers squared_distances_to_mean(const kernel& k, const dataset& x, const dataset& group) {
    require_members(group.size());
    return distances_to_mean(kernel_diagonal(k, x), row_sums(*make_gram<double>(k, x, group)),
                             row_sums(*make_gram<double>(k, group)));
}

numbers squared_distances_to_mean(const gram<double>& k, std::span<const index> group) {
    const numbers self = diagonal_of(k);
    require_rows(k, group);
    std::vector<index> all(static_cast<std::size_t>(k.rows()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<index>(i);
    const std::vector<index> members(group.begin(), group.end());
    const numbers sums = row_sums(subset<double>(k, all, members));
    numbers within;
    for (const index i : members) within.push_back(sums[static_cast<std::size_t>(i)]);
    return distances_to_mean(self, sums, within);
}

medoid_result medoid(const kernel& k, const dataset& group, dissimilarity measure) {
    return medoid_of(*make_gram<double>(k, group), measure);
}

medoid_result medoid(const gram<double>& k, std::span<const index> group, dissimilarity measure) {
    require_rows(k, group);
    medoid_result found = medoid_of(subset<double>(k, std::vector<index>(group.begin(), group.end())), measure);
    found.member = group[static_cast<std::size_t>(found.member)];
    return found;
}

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

bool is_equal_row(const sparse<double>& a, index i, const sparse<double>& b, index j) {
    return std::ranges::equal(a.cols(i), b.cols(j)) &&
           std::ranges::equal(a.values(i), b.values(j),
                              [](double u, double v) { return static_cast<float>(u) == static_cast<float>(v); });
}

std::vector<bool> find_equal_rows(const sparse<double>& x, const sparse<double>& z) {
    std::unordered_multimap<std::uint64_t, index> known;
    for (index j = 0; j < z.size(); ++j) known.emplace(hash_of(z, j), j);
    std::vector<bool> out(static_cast<std::size_t>(x.size()));
    for (index i = 0; i < x.size(); ++i) {
        const auto [first, last] = known.equal_range(hash_of(x, i));
        out[static_cast<std::size_t>(i)] =
            std::any_of(first, last, [&](const auto& each) { return is_equal_row(x, i, z, each.second); });
    }
    return out;
}

std::vector<bool> find_equal_objects(const dataset& x, const dataset& z) {
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

std::vector<bool> find_equal_images(const kernel& k, const dataset& x, const dataset& z) {
    if (!has_sparse_features(k)) return find_equal_objects(x, z);
    constexpr std::size_t feature_bytes = std::size_t{64} << 20;
    constexpr index max_blocks = 256;
    const index block = std::max<index>(
        1, std::min(max_objects_within(k, x, feature_bytes), max_objects_within(k, z, feature_bytes)) / 2);
    const auto blocks = [&](const dataset& all) { return (all.size() + block - 1) / block; };
    if (blocks(x) * blocks(z) > max_blocks) return find_equal_objects(x, z);
    std::vector<bool> out(static_cast<std::size_t>(x.size()));
    for (index r = 0; r < x.size(); r += block)
        for (index c = 0; c < z.size(); c += block) {
            const dataset right = part(z, c, std::min(block, z.size() - c));
            const object_features phi(k, part(x, r, std::min(block, x.size() - r)), &right);
            const std::vector<bool> found = find_equal_rows(phi.x(), phi.z());
            for (std::size_t i = 0; i < found.size(); ++i)
                if (found[i]) out[static_cast<std::size_t>(r) + i] = true;
        }
    return out;
}

}  // namespace mercer
