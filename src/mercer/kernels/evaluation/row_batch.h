// Rows of one call, in the form the tile loops read.
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

// Rows of one call, in the form the tile loops read.
template <class T>
struct row_group {
    selection rows;
    const std::vector<left_rows<T>>& left;
    std::vector<matrix<double>> asked{};  // per statistic: a user's values for these rows and all columns of the call
    std::vector<matrix_view<const T>> deep{};  // the same for deep statistics
};

// How many rows are made ready at once: 4 MB of them, more where so few would not pay for packing the stripes again.
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

// Into how many rows a group of `count` is cut, so that there are enough items for every thread; no further than that
// needs, since every part of a stripe packs it again.
inline index rows_in_chunk(index count, index stripes, index unit) {
    const index parts = std::clamp<index>(ceil_div(index{4} * threads(), stripes), 1, ceil_div(count, 4 * unit));
    return ceil_div(ceil_div(count, parts), unit) * unit;
}

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
