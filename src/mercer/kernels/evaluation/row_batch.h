// Batches of rows: the rows of a call are packed in batches that stay in the caches, and each batch is evaluated
// against all columns. Internal to this folder.
#pragma once

#include <algorithm>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/evaluation/packed_rows.h"
#include "mercer/kernels/evaluation/prepared_data.h"
#include "mercer/kernels/evaluation/scratch.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::evaluation {

// A batch of rows, packed for the tile loops.
template <class T>
struct row_batch {
    row_set rows;
    const std::vector<packed_rows<T>>& packed;
    std::vector<matrix<double>> user_blocks{};  // per statistic: a user's values for all pairs
    std::vector<matrix_view<const T>> deep{};   // per statistic: the values of deep statistics for all pairs
};

// Returns the number of rows of a batch: 4 MB of packed rows, and at least four blocks, since every batch packs the
// columns again.
template <class T>
index rows_per_batch(const std::vector<prepared_statistic<T>>& statistics) {
    double bytes = 1;
    for (const auto& s : statistics)
        if (s.reads_numbers())
            bytes += s.reads_sparse()
                         ? static_cast<double>(sizeof(T) + 4) * s.x.mean_entries()
                         : static_cast<double>((s.low ? 2 : 1) * sizeof(T)) * static_cast<double>(s.depth_at_once());
    const index unit = best_tile_ops<T>().block_rows;
    return std::max<index>(4, static_cast<index>((4 << 20) / bytes) / unit) * unit;
}

// Returns the number of rows of a chunk, the unit of parallel work, when a batch of `count` rows meets `tiles` column
// tiles. There are about four chunks per thread; more are not made, since every chunk packs its column tile again.
inline index rows_per_chunk(index count, index tiles, index unit) {
    const index parts = std::clamp<index>(ceil_div(index{4} * threads(), tiles), 1, ceil_div(count, 4 * unit));
    return ceil_div(ceil_div(count, parts), unit) * unit;
}

// Packs these rows, in the scratch memory w, for every statistic that reads numbers.
template <class T>
row_batch<T> pack_batch(const std::vector<prepared_statistic<T>>& statistics, const row_set& rows, scratch<T>& w) {
    if (w.packed.size() < statistics.size()) w.packed.resize(statistics.size());
    for (std::size_t at = 0; at < statistics.size(); ++at) {
        const auto& s = statistics[at];
        if (!s.reads_numbers() || s.is_deep()) continue;
        if (s.reads_sparse())
            w.packed[at].pack_sparse(s.x, rows);
        else
            w.packed[at].pack_blocks(s.x, rows, {0, s.depth()}, s.shift_data(), s.low);
    }
    return {rows, w.packed};
}

}  // namespace mercer::evaluation
