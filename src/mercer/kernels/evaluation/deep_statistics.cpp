#include "mercer/kernels/evaluation/deep_statistics.h"

#include <algorithm>
#include <limits>

#include "mercer/base/threads.h"

namespace mercer::evaluation {

template <class T>
index deep_statistics<T>::rows_at_once(index cols) const {
    constexpr index max_bytes = index{16} << 20;
    index numbers = 0;  // numbers per pair: its value and, if distances may be recomputed, four partial sums
    for (const auto& s : data_.statistics)
        if (s.is_deep()) numbers += s.recomputes_close_pairs() ? 5 : 1;
    if (numbers == 0) return std::numeric_limits<index>::max();
    const index unit = ops_.block_rows,
                rows = max_bytes / (numbers * tiles_.padded(cols) * static_cast<index>(sizeof(T)));
    return std::max<index>(4, rows / unit) * unit;
}

template <class T>
void deep_statistics<T>::fill(row_batch<T>& batch, const row_set& cols, index diagonal, scratch<T>& w) const {
    const std::size_t count = data_.statistics.size();
    if (std::none_of(data_.statistics.begin(), data_.statistics.end(),
                     [](const prepared_statistic<T>& s) { return s.is_deep(); }))
        return;
    w.ensure_sizes(count, data_.code->code.size());
    batch.deep.resize(count);
    for (std::size_t at = 0; at < count; ++at) {
        const auto& s = data_.statistics[at];
        if (!s.is_deep()) continue;
        const index height = ceil_div(batch.rows.size(), ops_.block_rows) * ops_.block_rows,
                    stride = tiles_.padded(cols.size());
        const task t{at, s, batch.rows, cols, diagonal, stride, w.deep_values[at].at_least(height * stride), w};
        add_up(t);
        std::vector<char> inaccurate;
        if (s.recomputes_close_pairs() && to_distances(t, inaccurate)) recompute_distances(t, inaccurate);
        batch.deep[at] = matrix_view<const T>(t.values, batch.rows.size(), stride);
    }
}

// Runs `work` in parallel on chunks of the rows to compute of all column tiles.
template <class T>
template <class Work>
void deep_statistics<T>::for_each_chunk(const task& t, Work work) const {
    const index width = tiles_.width(), tiles = ceil_div(t.cols.size(), width), rows = t.rows.size();
    const index chunk = rows_per_chunk(rows, tiles, ops_.block_rows), chunks = ceil_div(rows, chunk);
    parallel_for(tiles * chunks, [&](index item) {
        const index c0 = item / chunks * width, r0 = item % chunks * chunk, count = std::min(width, t.cols.size() - c0);
        const index wanted = std::min(rows, c0 + count + t.diagonal);
        if (r0 >= wanted) return;
        const scratch_lease<T> lent;
        (*lent).ensure_sizes(data_.statistics.size(), data_.code->code.size());
        work(tile_chunk{t.cols.slice(c0, count), c0, tiles_.padded(count), r0, std::min(wanted, r0 + chunk)}, *lent);
    });
}

// Packs the rows, and the panels of every column tile, for each range of coordinates before its work.
template <class T>
template <class Work>
void deep_statistics<T>::for_each_range(const task& t, bool low, Work work) const {
    const bool kept = tiles_.has_stored_panels(t.cols);
    auto& left = t.w.packed;
    if (left.size() <= t.at) left.resize(t.at + 1);
    for (index k = 0; k < t.s.depth(); k += t.s.range_length) {
        const coordinate_range part{k, std::min(t.s.range_length, t.s.depth() - k)};
        left[t.at].pack_blocks(t.s.x, t.rows, part, t.s.shift_data(), low);
        for_each_chunk(t, [&](const tile_chunk& here, scratch<T>& w) {
            const index stored_at = kept ? t.cols[here.c0] : -1;
            const auto panels = tiles_.panels_of_range(t.at, here.cols, stored_at, part, false, w);
            const auto low_panels =
                low ? tiles_.panels_of_range(t.at, here.cols, stored_at, part, true, w) : panel_range<T>{nullptr, 0};
            work(part, here, panels, low_panels, w);
        });
    }
}

// Computes the sums over all coordinates.
template <class T>
void deep_statistics<T>::add_up(const task& t) const {
    const bool low = t.s.low && !t.s.recomputes_close_pairs();
    for_each_range(t, low,
                   [&](coordinate_range part, const tile_chunk& here, panel_range<T> panels, panel_range<T> low_panels,
                       scratch<T>&) {
                       const auto& left = t.w.packed[t.at];
                       for (index r = here.first_row; r < here.end_row; r += ops_.block_rows)
                           for (index j = 0; j < here.width; j += ops_.panel) {
                               const index skip = j / ops_.panel * panels.stride;
                               T* out = t.values + r * t.stride + here.c0 + j;
                               if (low)
                                   ops_.dense_low(t.s.what, left.block(r), left.low_block(r), panels.first + skip,
                                                  low_panels.first + skip, part.count, out, t.stride, part.first > 0);
                               else
                                   ops_.dense(t.s.what, left.block(r), panels.first + skip, part.count, out, t.stride,
                                              part.first > 0);
                           }
                   });
}

template <class T>
std::size_t deep_statistics<T>::tile_number(const task& t, index r0, index c0) const {
    return static_cast<std::size_t>(r0 / ops_.block_rows * ceil_div(t.cols.size(), tiles_.width()) +
                                    c0 / tiles_.width());
}

// Replaces dot products by squared distances and marks the tiles with inaccurate ones. Returns true if there are any.
template <class T>
bool deep_statistics<T>::to_distances(const task& t, std::vector<char>& inaccurate) const {
    inaccurate.assign(tile_number(t, t.rows.size() + ops_.block_rows, 0), 0);
    for_each_chunk(t, [&](const tile_chunk& here, scratch<T>& w) {
        collect(data_.right_norms(t.s), here.cols, here.width, w.col_norms[t.at]);
        collect(data_.right_thresholds(t.s), here.cols, here.width, w.col_thresholds[t.at]);
        for (index r = here.first_row; r < here.end_row; r += ops_.block_rows) {
            const row_set some = t.rows.slice(r, std::min(ops_.block_rows, here.end_row - r));
            collect(t.s.x_norms, some, some.size(), w.row_norms[t.at]);
            collect(t.s.x_thresholds, some, some.size(), w.row_thresholds[t.at]);
            inaccurate[tile_number(t, r, here.c0)] =
                ops_.distances({t.values + r * t.stride + here.c0, t.stride, some.size(), here.width,
                                w.row_norms[t.at].data(), w.col_norms[t.at].data(), w.row_thresholds[t.at].data(),
                                w.col_thresholds[t.at].data(), nullptr, nullptr, nullptr, nullptr, 0}) > 0;
        }
    });
    return std::find(inaccurate.begin(), inaccurate.end(), 1) != inaccurate.end();
}

// Recomputes the squared distances of inaccurate pairs from the coordinate differences.
template <class T>
void deep_statistics<T>::recompute_distances(const task& t, const std::vector<char>& inaccurate) const {
    const index height = ceil_div(t.rows.size(), ops_.block_rows) * ops_.block_rows;
    T* sums = t.w.deep_sums.at_least(4 * height * t.stride);
    for_each_range(
        t, t.s.low,
        [&](coordinate_range part, const tile_chunk& here, panel_range<T> panels, panel_range<T> low_panels,
            scratch<T>& w) {
            const auto& left = t.w.packed[t.at];
            collect(data_.right_thresholds(t.s), here.cols, here.width, w.col_thresholds[t.at]);
            for (index r = here.first_row; r < here.end_row; r += ops_.block_rows) {
                if (!inaccurate[tile_number(t, r, here.c0)]) continue;
                const row_set some = t.rows.slice(r, std::min(ops_.block_rows, here.end_row - r));
                collect(t.s.x_thresholds, some, some.size(), w.row_thresholds[t.at]);
                ops_.differences({t.values + r * t.stride + here.c0, t.stride, some.size(), here.width,
                                  w.row_thresholds[t.at].data(), w.col_thresholds[t.at].data(), left.block(r),
                                  t.s.low ? left.low_block(r) : nullptr, panels.first, low_panels.first, panels.stride,
                                  part.count, sums + 4 * (r * t.stride + here.c0 * ops_.block_rows), part.first == 0,
                                  part.first + part.count == t.s.depth()});
            }
        });
}

template class deep_statistics<float>;
template class deep_statistics<double>;

}  // namespace mercer::evaluation
