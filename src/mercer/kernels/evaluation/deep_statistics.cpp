#include "mercer/kernels/evaluation/deep_statistics.h"

#include <algorithm>
#include <limits>

#include "mercer/base/threads.h"

namespace mercer::evaluation {

template <class T>
index deep_statistics<T>::rows_at_once(index cols) const {
    constexpr index most_bytes = index{16} << 20;
    index numbers = 0;  // numbers per pair: its value and, if distances may be recomputed, four partial sums
    for (const auto& s : bound_.sources)
        if (s.deep()) numbers += s.careful() ? 5 : 1;
    if (numbers == 0) return std::numeric_limits<index>::max();
    const index unit = ops_.block_rows,
                rows = most_bytes / (numbers * stripes_.padded(cols) * static_cast<index>(sizeof(T)));
    return std::max<index>(4, rows / unit) * unit;
}

template <class T>
void deep_statistics<T>::fill(row_group<T>& group, const selection& cols, index diagonal, workspace<T>& w) const {
    const std::size_t count = bound_.sources.size();
    if (std::none_of(bound_.sources.begin(), bound_.sources.end(), [](const source<T>& s) { return s.deep(); })) return;
    w.make_room(count, bound_.code->code.size());
    group.deep.resize(count);
    for (std::size_t at = 0; at < count; ++at) {
        const auto& s = bound_.sources[at];
        if (!s.deep()) continue;
        const index height = ceil_div(group.rows.size(), ops_.block_rows) * ops_.block_rows,
                    stride = stripes_.padded(cols.size());
        const task t{at, s, group.rows, cols, diagonal, stride, w.deep_values[at].at_least(height * stride), w};
        add_up(t);
        std::vector<char> doubtful;
        if (s.careful() && to_distances(t, doubtful)) from_differences(t, doubtful);
        group.deep[at] = matrix_view<const T>(t.values, group.rows.size(), stride);
    }
}

// Runs `work` in parallel on chunks of the rows to compute of all column tiles.
template <class T>
template <class Work>
void deep_statistics<T>::each_part(const task& t, Work work) const {
    const index width = stripes_.width(), stripes = ceil_div(t.cols.size(), width), rows = t.rows.size();
    const index chunk = rows_in_chunk(rows, stripes, ops_.block_rows), chunks = ceil_div(rows, chunk);
    parallel_for(stripes * chunks, [&](index item) {
        const index c0 = item / chunks * width, r0 = item % chunks * chunk, count = std::min(width, t.cols.size() - c0);
        const index wanted = std::min(rows, c0 + count + t.diagonal);
        if (r0 >= wanted) return;
        const lease<T> lent;
        (*lent).make_room(bound_.sources.size(), bound_.code->code.size());
        work(part_of_stripe{t.cols.slice(c0, count), c0, stripes_.padded(count), r0, std::min(wanted, r0 + chunk)},
             *lent);
    });
}

// Packs the rows, and the panels of every column tile, for each range of coordinates before its work.
template <class T>
template <class Work>
void deep_statistics<T>::each_slice(const task& t, bool low, Work work) const {
    const bool kept = stripes_.kept_for(t.cols);
    auto& left = t.w.left;
    if (left.size() <= t.at) left.resize(t.at + 1);
    for (index k = 0; k < t.s.depth(); k += t.s.slice_depth) {
        const slice part{k, std::min(t.s.slice_depth, t.s.depth() - k)};
        left[t.at].as_blocks(t.s.x, t.rows, part, t.s.shift_data(), low);
        each_part(t, [&](const part_of_stripe& here, workspace<T>& w) {
            const index kept_at = kept ? t.cols[here.c0] : -1;
            const auto panels = stripes_.slice_of_panels(t.at, here.cols, kept_at, part, false, w);
            const auto low_panels =
                low ? stripes_.slice_of_panels(t.at, here.cols, kept_at, part, true, w) : panel_slices<T>{nullptr, 0};
            work(part, here, panels, low_panels, w);
        });
    }
}

// Computes the sums over all coordinates.
template <class T>
void deep_statistics<T>::add_up(const task& t) const {
    const bool low = t.s.low && !t.s.careful();
    each_slice(
        t, low,
        [&](slice part, const part_of_stripe& here, panel_slices<T> panels, panel_slices<T> low_panels, workspace<T>&) {
            const auto& left = t.w.left[t.at];
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
    return static_cast<std::size_t>(r0 / ops_.block_rows * ceil_div(t.cols.size(), stripes_.width()) +
                                    c0 / stripes_.width());
}

// Replaces dot products by squared distances and marks the tiles with inaccurate ones. Returns true if there are any.
template <class T>
bool deep_statistics<T>::to_distances(const task& t, std::vector<char>& doubtful) const {
    doubtful.assign(tile_number(t, t.rows.size() + ops_.block_rows, 0), 0);
    each_part(t, [&](const part_of_stripe& here, workspace<T>& w) {
        collect(bound_.right_norms(t.s), here.cols, here.width, w.col_norms[t.at]);
        collect(bound_.right_doubt(t.s), here.cols, here.width, w.col_doubt[t.at]);
        for (index r = here.first_row; r < here.end_row; r += ops_.block_rows) {
            const selection some = t.rows.slice(r, std::min(ops_.block_rows, here.end_row - r));
            collect(t.s.x_norms, some, some.size(), w.row_norms[t.at]);
            collect(t.s.x_doubt, some, some.size(), w.row_doubt[t.at]);
            doubtful[tile_number(t, r, here.c0)] =
                ops_.distances({t.values + r * t.stride + here.c0, t.stride, some.size(), here.width,
                                w.row_norms[t.at].data(), w.col_norms[t.at].data(), w.row_doubt[t.at].data(),
                                w.col_doubt[t.at].data(), nullptr, nullptr, nullptr, nullptr, 0}) > 0;
        }
    });
    return std::find(doubtful.begin(), doubtful.end(), 1) != doubtful.end();
}

// Recomputes the squared distances of inaccurate pairs from the coordinate differences.
template <class T>
void deep_statistics<T>::from_differences(const task& t, const std::vector<char>& doubtful) const {
    const index height = ceil_div(t.rows.size(), ops_.block_rows) * ops_.block_rows;
    T* sums = t.w.deep_sums.at_least(4 * height * t.stride);
    each_slice(
        t, t.s.low,
        [&](slice part, const part_of_stripe& here, panel_slices<T> panels, panel_slices<T> low_panels,
            workspace<T>& w) {
            const auto& left = t.w.left[t.at];
            collect(bound_.right_doubt(t.s), here.cols, here.width, w.col_doubt[t.at]);
            for (index r = here.first_row; r < here.end_row; r += ops_.block_rows) {
                if (!doubtful[tile_number(t, r, here.c0)]) continue;
                const selection some = t.rows.slice(r, std::min(ops_.block_rows, here.end_row - r));
                collect(t.s.x_doubt, some, some.size(), w.row_doubt[t.at]);
                ops_.differences({t.values + r * t.stride + here.c0, t.stride, some.size(), here.width,
                                  w.row_doubt[t.at].data(), w.col_doubt[t.at].data(), left.block(r),
                                  t.s.low ? left.low_block(r) : nullptr, panels.first, low_panels.first, panels.stride,
                                  part.count, sums + 4 * (r * t.stride + here.c0 * ops_.block_rows), part.first == 0,
                                  part.first + part.count == t.s.depth()});
            }
        });
}

template class deep_statistics<float>;
template class deep_statistics<double>;

}  // namespace mercer::evaluation
