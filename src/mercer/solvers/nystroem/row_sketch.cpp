#include "mercer/solvers/nystroem/row_sketch.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "mercer/base/parallel.h"
#include "mercer/solvers/smo/vector_ops.h"

namespace mercer {
namespace {

constexpr index band = 48, groups = 6, entries = 4;
static_assert(gram_batches<float>::batch_unit % band == 0 && band % groups == 0);

// Bits that depend on seed and number alone (splitmix64), so that a row has the same sign in whatever batch it comes.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t z = seed * 0xd1342543de82ef95u + (number + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// to += by·row
template <class T>
void add_row(double* to, const T* row, double by, index m) {
    if constexpr (std::is_same_v<T, float>) {
        const double minus = -by;
        smo::best_vector_ops().subtract_rows(to, &row, &minus, 1, m);
    } else {
        for (index j = 0; j < m; ++j) to[j] += by * row[j];
    }
}

}  // namespace

template <class T>
std::vector<matrix<double>> row_sketch(const gram_batches<T>& k, index rows, index buckets, index count,
                                       const row_weights& weight, bool constant, std::uint64_t seed) {
    const index m = k.cols(), each = std::max<index>(1, buckets / virtual_shards);
    const bool own = buckets >= rows;
    std::vector<matrix<double>> out;
    for (index c = 0; c < count; ++c) out.emplace_back(own ? rows : each * virtual_shards, m + (constant ? 1 : 0));
    const auto add = [&](index row, index bucket, double sign, const T* values) {
        for (index c = 0; c < count; ++c) {
            const double by = sign * std::sqrt(std::max(0.0, weight(row, c)));
            if (by == 0) continue;
            double* to = out[static_cast<std::size_t>(c)].row(bucket);
            add_row(to, values, by, m);
            if (constant) to[m] += by;
        }
    };
    const auto add_group = [&](index row, index g, index shard, matrix_view<T> values) {
        for (index e = 0; e < (own ? 1 : entries); ++e) {
            const auto number = static_cast<std::uint64_t>((row / band * groups + g) * entries + e);
            const auto place = static_cast<index>(mixed(seed + 1, number) % static_cast<std::uint64_t>(each));
            for (index i = g; i < values.rows; i += groups) {
                const auto bits = mixed(seed, static_cast<std::uint64_t>((row + i) * entries + e));
                if (own)
                    add(row + i, row + i, 1, values.row(i));
                else
                    add(row + i, shard * each + place, bits & 1 ? 0.5 : -0.5, values.row(i));
            }
        }
    };
    k.each([&](index first, const gram<T>& batch) {
        const index bands = (batch.rows() + band - 1) / band, before = first / band;
        parallel_for(std::min(bands, virtual_shards), [&](index item) {
            thread_local buffer<T> memory;
            buffer<T> tile = std::move(memory);
            for (index b = item; b < bands; b += virtual_shards) {
                const index from = b * band, there = std::min(band, batch.rows() - from);
                const matrix_view<T> values(tile.at_least(band * m), there, m);
                batch.block(selection(from, there), selection(0, m), values);
                for (index g = 0; g < groups; ++g) add_group(first + from, g, (before + b) % virtual_shards, values);
            }
            memory = std::move(tile);
        });
    });
    return out;
}

template std::vector<matrix<double>> row_sketch(const gram_batches<float>&, index, index, index, const row_weights&,
                                                bool, std::uint64_t);
template std::vector<matrix<double>> row_sketch(const gram_batches<double>&, index, index, index, const row_weights&,
                                                bool, std::uint64_t);

}  // namespace mercer
