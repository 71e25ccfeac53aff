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
struct row_group {
    selection rows;
    const std::vector<left_rows<T>>& left;
    std::vector<matrix<double>> asked{};       // per statistic: a user's values for all pairs
    std::vector<matrix_view<const T>> deep{};  // per statistic: the values of deep statistics for all pairs
};

// Returns the number of rows of a batch: 4 MB of packed rows, and at least four blocks, since every batch packs the
// columns again.
template <class T>
index rows_in_group(const std::vector<source<T>>& sources) {
    double bytes = 1;
    for (const auto& s : sources)
        if (s.reads_numbers())
            bytes += s.sparse()
                         ? static_cast<double>(sizeof(T) + 4) * s.x.mean_entries()
                         : static_cast<double>((s.low ? 2 : 1) * sizeof(T)) * static_cast<double>(s.depth_at_once());
    const index unit = best_tile_ops<T>().block_rows;
    return std::max<index>(4, static_cast<index>((4 << 20) / bytes) / unit) * unit;
}

// Returns the number of rows of a chunk, the unit of parallel work, when a batch of `count` rows meets `stripes` column
// tiles. There are about four chunks per thread; more are not made, since every chunk packs its column tile again.
inline index rows_in_chunk(index count, index stripes, index unit) {
    const index parts = std::clamp<index>(ceil_div(index{4} * threads(), stripes), 1, ceil_div(count, 4 * unit));
    return ceil_div(ceil_div(count, parts), unit) * unit;
}

// Packs these rows, in the scratch memory w, for every statistic that reads numbers.
template <class T>
row_group<T> make_ready(const std::vector<source<T>>& sources, const selection& rows, workspace<T>& w) {
    if (w.left.size() < sources.size()) w.left.resize(sources.size());
    for (std::size_t at = 0; at < sources.size(); ++at) {
        const auto& s = sources[at];
        if (!s.reads_numbers() || s.deep()) continue;
        if (s.sparse())
            w.left[at].as_sparse(s.x, rows);
        else
            w.left[at].as_blocks(s.x, rows, {0, s.depth()}, s.shift_data(), s.low);
    }
    return {rows, w.left};
}

}  // namespace mercer::evaluation
