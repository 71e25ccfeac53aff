
#include "mercer/kernels/evaluation/tile_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"

namespace mercer::evaluation {

namespace {

constexpr std::size_t most_rows = 16;  // at least block_rows of any instruction set

// The entries of a row whose columns are present in the stripe, under their places there.
template <class T>
sparse_entries<T> renumbered(const sparse_entries<T>& row, const std::vector<std::int32_t>& places,
                             pack_scratch<T>& scratch) {
    auto& cols = scratch.row_cols;
    auto& values = scratch.row_values;
    cols.clear();
    values.clear();
    for (index k = 0; k < row.count; ++k)
        if (const std::int32_t place = places[row.cols[k]]; place >= 0) {
            cols.push_back(place);
            values.push_back(row.values[k]);
        }
    return {cols.data(), values.data(), static_cast<index>(cols.size())};
}

// Values made before for all pairs of a call.
template <class T, class U>
void copy_values(const matrix_view<const U>& values, index width, T* out) {
    for (index i = 0; i < values.rows; ++i) {
        for (index j = 0; j < values.cols; ++j) out[i * width + j] = static_cast<T>(values(i, j));
        std::fill(out + i * width + values.cols, out + (i + 1) * width, T(0));
    }
}

}  // namespace

template <class T>
void tile_runner<T>::run(const open_stripe<T>& stripe, const row_group<T>& group, index first, index count,
                         block_rows<T> out, index out_col, workspace<T>& w) const {
    T* registers = w.registers.at_least(bound_.code->registers * ops_.block_rows * stripe.width);
    for (index r0 = 0; r0 < count; r0 += ops_.block_rows) {
        const tile t{group.rows.slice(first + r0, std::min(ops_.block_rows, count - r0)),
                     stripe,
                     out.from(r0),
                     out_col,
                     registers,
                     w};
        if (bound_.table.size() > 0 && look_up(t)) continue;
        for (std::size_t s = 0; s < bound_.sources.size(); ++s)
            if (bound_.sources[s].same_as < 0) fill_statistic(s, group, first + r0, t);
        run_code(t);
        if (bound_.code->check_range) require_range(t);
    }
}

template <class T>
T* tile_runner<T>::register_of(const tile& t, int number) const {
    const auto& sources = bound_.sources;
    const bool shared = number < static_cast<int>(sources.size()) && sources[number].same_as >= 0;
    return t.registers + (shared ? sources[number].same_as : number) * ops_.block_rows * t.width();
}

// Functions of the squared distances of bits, where all of these are in the table.
template <class T>
bool tile_runner<T>::look_up(const tile& t) const {
    if constexpr (std::is_same_v<T, float>) {
        const std::size_t at = bound_.table_source();
        const auto& s = bound_.sources[at];
        const auto& table = bound_.table;
        // ‖x - z‖² <= ‖x‖² + ‖z‖², and twice that where signs may differ
        const auto entries = [&](index i) {
            return (s.signs ? 2 : 1) * (s.x_bits.norm(t.rows[i]) + t.stripe.largest) + 1;
        };
        for (index i = 0; i < t.rows.size(); ++i)
            if (entries(i) > table.size()) return false;
        const bit_ops& counting = *best_bit_ops();
        for (index i = 0; i < t.rows.size(); ++i) {
            T* result = t.out[i] + t.out_col;
            T* to = t.width() == t.real_width() ? result : t.registers;
            counting.look_up(s.x_bits.row(t.rows[i]), s.signs, s.words, t.w.bit_panels[at].data(),
                             t.width() / counting.panel, s.x_bits.norm(t.rows[i]), t.w.bit_norms[at].data(),
                             table.data(), entries(i), to);
            if (to != result) std::copy_n(to, t.real_width(), result);
        }
        return true;
    }
    return false;
}

// Statistic `at` of the rows of a tile, which stand at `first` in their group.
template <class T>
void tile_runner<T>::fill_statistic(std::size_t at, const row_group<T>& group, index first, const tile& t) const {
    const auto& s = bound_.sources[at];
    T* out = register_of(t, static_cast<int>(at));
    if (s.what == statistic::user)
        copy_values(
            matrix_view<const double>(group.asked[at].view().block(first, t.stripe.at, t.rows.size(), t.real_width())),
            t.width(), out);
    else if (s.deep())
        copy_values(group.deep[at].block(first, t.stripe.at, t.rows.size(), t.real_width()), t.width(), out);
    else if (s.bits())
        fill_from_bits(at, t, out);
    else if (s.sparse())
        fill_sparse(at, group.left[at], first, t, out);
    else
        fill_dense(at, group.left[at], first, t, out);
}

template <class T>
void tile_runner<T>::fill_from_bits(std::size_t at, const tile& t, T* out) const {
    if constexpr (std::is_same_v<T, float>) {
        const auto& s = bound_.sources[at];
        const bit_ops& counting = *best_bit_ops();
        for (index r = 0; r < t.rows.size(); ++r)
            counting.dot(s.x_bits.row(t.rows[r]), s.signs, s.words, t.w.bit_panels[at].data(),
                         t.width() / counting.panel, out + r * t.width());
    }
}

template <class T>
void tile_runner<T>::fill_dense(std::size_t at, const left_rows<T>& left, index first, const tile& t, T* out) const {
    const auto& s = bound_.sources[at];
    const T *block = left.block(first), *panels = t.stripe.panels[at], *low = t.stripe.low_panels[at];
    const T* block_low = low ? left.low_block(first) : nullptr;
    const index d = s.depth();
    for (index j = 0; j < t.width(); j += ops_.panel)
        if (low && !s.careful())
            ops_.dense_low(s.what, block, block_low, panels + j * d, low + j * d, d, out + j, t.width(), false);
        else
            ops_.dense(s.what, block, panels + j * d, d, out + j, t.width(), false);
    if (s.careful()) to_distances(at, t, out, block, block_low);
}

template <class T>
void tile_runner<T>::fill_sparse(std::size_t at, const left_rows<T>& left, index first, const tile& t, T* out) const {
    const auto& s = bound_.sources[at];
    const index d = s.wide ? static_cast<index>(t.w.present[at].size()) : s.depth();
    for (index r = 0; r < t.rows.size(); ++r) {
        const auto& own = left.row(first + r);
        const auto [cols, values, entries] = s.wide ? renumbered(own, t.w.place[at], t.w.pack) : own;
        for (index j = 0; j < t.width(); j += ops_.sparse_panel)
            ops_.sparse_dot(cols, values, entries, t.stripe.panels[at] + j * d, out + r * t.width() + j);
    }
    if (s.careful() && to_distances(at, t, out, nullptr, nullptr) > 0) compute_doubtful(at, t, out);
}

// Squared distances in the place of dot products, from differences where they are in doubt and there are blocks. How
// many were in doubt.
template <class T>
index tile_runner<T>::to_distances(std::size_t at, const tile& t, T* out, const T* block, const T* block_low) const {
    const auto& s = bound_.sources[at];
    auto& w = t.w;
    const index n = t.rows.size(), width = t.width();
    collect(s.x_norms, t.rows, n, w.row_norms[at]);
    collect(s.x_doubt, t.rows, n, w.row_doubt[at]);
    return ops_.distances({out, width, n, width, w.row_norms[at].data(), w.col_norms[at].data(), w.row_doubt[at].data(),
                           w.col_doubt[at].data(), block, block_low, t.stripe.panels[at], t.stripe.low_panels[at],
                           s.depth()});
}

// Doubtful pairs of sparse rows, one after the other.
template <class T>
void tile_runner<T>::compute_doubtful(std::size_t at, const tile& t, T* out) const {
    const auto& s = bound_.sources[at];
    for (index r = 0; r < t.rows.size(); ++r)
        for (index j = 0; j < t.real_width(); ++j)
            if (T& value = out[r * t.width() + j]; value < std::max(t.w.row_doubt[at][r], t.w.col_doubt[at][j]))
                value = static_cast<T>(squared_difference(s.x, t.rows[r], s.z, t.stripe.cols[j]));
}

template <class T>
void tile_runner<T>::run_code(const tile& t) const {
    const auto& steps = bound_.code->code;
    const auto& last = steps.back();
    std::array<T*, most_rows> rows;
    // A last map writes straight to the result when that has room for whole vectors.
    const bool direct = t.width() == t.real_width() && last.what == instruction::op::map;
    for (std::size_t at = 0; at + (direct ? 1 : 0) < steps.size(); ++at) run_step(at, t);
    const T* result = register_of(t, bound_.code->result);
    if (t.width() != t.real_width()) {
        for (index i = 0; i < t.rows.size(); ++i)
            std::copy_n(result + i * t.width(), t.real_width(), t.out[i] + t.out_col);
        return;
    }
    const bool stream = point_at_result(t, rows.data());
    if (direct) return run_map(last, t, rows.data(), stream);
    ops_.map(
        {{}, map_input::value, result, t.width(), rows.data(), nullptr, nullptr, t.rows.size(), t.width(), stream});
}

template <class T>
void tile_runner<T>::run_step(std::size_t at, const tile& t) const {
    using op = instruction::op;
    const auto& step = bound_.code->code[at];
    const index width = t.width(), count = ops_.block_rows * width;
    T* to = register_of(t, step.to);
    switch (step.what) {
        case op::fill: std::fill_n(to, count, static_cast<T>(step.shift)); break;
        case op::map: {
            std::array<T*, most_rows> rows;
            for (index i = 0; i < t.rows.size(); ++i) rows[i] = to + i * width;
            run_map(step, t, rows.data(), false);
            break;
        }
        case op::affine: ops_.affine(to, step.scale, step.shift, count); break;
        case op::add: ops_.binary(tile_binary::add, to, register_of(t, step.b), count); break;
        case op::multiply: ops_.binary(tile_binary::multiply, to, register_of(t, step.b), count); break;
        case op::power: ops_.power(to, step.shift, count); break;
        case op::polynomial:
            ops_.polynomial(to, step.coefficients.data(), static_cast<index>(step.coefficients.size()), count);
            break;
        case op::exponential: ops_.exponential(to, count); break;
        case op::outer_multiply:
        case op::outer_add:
            collect(bound_.factors[at].x, t.rows, t.rows.size(), t.w.row_factors[at]);
            ops_.outer(step.what == op::outer_add ? tile_binary::add : tile_binary::multiply, to, width,
                       t.w.row_factors[at].data(), t.w.col_factors[at].data(), t.rows.size(), width);
            break;
    }
}

template <class T>
void tile_runner<T>::run_map(const instruction& step, const tile& t, T* const* to, bool stream) const {
    const index n = t.rows.size(), width = t.width();
    // The register of a careful statistic holds squared distances already.
    const bool ready = step.input == map_input::squared_distance && bound_.sources[step.a].careful();
    tile_map<T> call{step.formula,
                     ready ? map_input::value : step.input,
                     register_of(t, step.a),
                     width,
                     to,
                     nullptr,
                     nullptr,
                     n,
                     width,
                     stream};
    if (call.input != map_input::value) {
        collect(bound_.sources[step.a].x_norms, t.rows, n, t.w.row_norms[step.a]);
        call.row = t.w.row_norms[step.a].data();
        call.col = t.w.col_norms[step.a].data();
    }
    ops_.map(call);
}

// Points `rows` at the result; whether it may be written past the caches.
template <class T>
bool tile_runner<T>::point_at_result(const tile& t, T** rows) const {
    bool stream = t.stripe.stream;
    for (index i = 0; i < t.rows.size(); ++i) {
        rows[i] = t.out[i] + t.out_col;
        stream = stream && reinterpret_cast<std::uintptr_t>(rows[i]) % cache_line == 0;
    }
    return stream;
}

template <class T>
void tile_runner<T>::require_range(const tile& t) const {
    for (index i = 0; i < t.rows.size(); ++i)
        for (index j = 0; j < t.real_width(); ++j)
            if (!std::isfinite(t.out[i][t.out_col + j]))
                fail(errc::data, fmt::format("k(x, z) of objects {} and {} is beyond the range of {}", t.rows[i],
                                             t.stripe.cols[j], precision<T>()));
}

template class tile_runner<float>;
template class tile_runner<double>;

}  // namespace mercer::evaluation

namespace mercer::evaluation {

template <class T>
index deep_statistics<T>::rows_at_once(index cols) const {
    constexpr index most_bytes = index{16} << 20;
    index numbers = 0;  // a pair; with doubt, four sums beside its value
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

// Shares the wanted rows of all stripes over the threads.
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

// Makes the rows of a slice ready, and the panels of every stripe, before its work.
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

// The sums over coordinates.
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

// Squared distances in the place of dot products. Marks the tiles with pairs in doubt; whether there are any.
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

// Doubtful pairs again, from their differences.
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

namespace mercer::evaluation {

template <class T>
column_stripes<T>::column_stripes(const bound_plan<T>& bound, std::size_t packed_bytes) : bound_(bound) {
    choose_width();
    keep_panels(packed_bytes);
}

template <class T>
void column_stripes<T>::choose_width() {
    constexpr index panel_bytes = index{256} * 1024, most = 1024 / static_cast<index>(sizeof(T));
    width_ = most;
    const index unit = ops_.sparse_panel;  // a whole number of dense panels too
    for (const auto& s : bound_.sources) {
        if (s.what == statistic::user) continue;
        const index d = s.wide ? 16384 : std::max<index>(1, s.bits() ? s.bit_stride() : s.depth_at_once());
        width_ = std::min(width_, std::max(unit, panel_bytes / (d * static_cast<index>(sizeof(T))) / unit * unit));
    }
}

template <class T>
void column_stripes<T>::keep_panels(std::size_t budget) {
    const auto& sources = bound_.sources;
    const index columns = padded(bound_.cols);
    std::size_t need = 0;
    for (const auto& s : sources) {
        if (s.what == statistic::user || s.wide) return;
        if (s.reads_numbers()) need += static_cast<std::size_t>(columns * s.depth()) * sizeof(T) * (s.low ? 2 : 1);
    }
    if (need > budget) return;
    packed_.resize(sources.size()), packed_low_.resize(sources.size());
    for (std::size_t at = 0; at < sources.size(); ++at) {
        const auto& s = sources[at];
        if (!s.reads_numbers()) continue;
        const index width = panel_of(s), d = s.depth();
        packed_[at].uninitialised(columns * d);
        if (s.low) packed_low_[at].uninitialised(columns * d);
        parallel_for(columns / width, [&](index p) {
            auto& scratch = per_thread<pack_scratch<T>>([] {});
            const selection some(p * width, std::clamp<index>(bound_.cols - p * width, 0, width));
            for (index k = 0; k < d; k += s.depth_at_once()) {
                const slice part{k, std::min(s.depth_at_once(), d - k)};
                pack_panel(s, some, part, packed_[at].data() + (p * d + k) * width, scratch, false);
                if (s.low) pack_panel(s, some, part, packed_low_[at].data() + (p * d + k) * width, scratch, true);
            }
        });
    }
    kept_ = true;
}

template <class T>
std::size_t column_stripes<T>::kept_bytes() const {
    index numbers = 0;
    for (std::size_t at = 0; at < packed_.size(); ++at) numbers += packed_[at].size() + packed_low_[at].size();
    return static_cast<std::size_t>(numbers) * sizeof(T);
}

template <class T>
open_stripe<T> column_stripes<T>::open(const selection& cols, index kept_at, bool stream, workspace<T>& w) const {
    const std::size_t count = bound_.sources.size(), steps = bound_.code->code.size();
    w.make_room(count, steps);
    open_stripe<T> made{cols, padded(cols.size()), std::vector<const T*>(count), std::vector<const T*>(count), stream};
    for (std::size_t at = 0; at < count; ++at) {
        const auto& s = bound_.sources[at];
        if (s.what == statistic::user) continue;
        collect_numbers(made, at, w);
        if (s.same_as >= 0 || s.deep()) continue;
        if (s.bits())
            pack_bits(made, at, w);
        else
            made.panels[at] = panels(made, at, kept_at, w);
        if (s.low) made.low_panels[at] = low_panels(made, at, kept_at, w);
    }
    for (std::size_t i = 0; i < steps; ++i)
        if (!bound_.factors[i].z.empty()) collect(bound_.factors[i].z, cols, made.width, w.col_factors[i]);
    if (bound_.table.size() > 0) made.largest = collect_bit_norms(made, w);
    return made;
}

template <class T>
void column_stripes<T>::close(workspace<T>& w) const {
    for (std::size_t at = 0; at < bound_.sources.size(); ++at) {
        if (!bound_.sources[at].wide) continue;
        for (const std::int32_t c : w.present[at]) w.place[at][c] = -1;
        w.present[at].clear();
    }
}

template <class T>
void column_stripes<T>::collect_numbers(const open_stripe<T>& stripe, std::size_t at, workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    if (s.x_norms.size() > 0) collect(bound_.right_norms(s), stripe.cols, stripe.width, w.col_norms[at]);
    if (!s.careful()) return;
    collect(bound_.right_doubt(s), stripe.cols, stripe.width, w.col_doubt[at]);
    // Columns that are not there are far from everything: their differences need not be looked at.
    std::fill(w.col_norms[at].data() + stripe.cols.size(), w.col_norms[at].data() + stripe.width, T(1e30));
}

template <class T>
void column_stripes<T>::pack_bits(const open_stripe<T>& stripe, std::size_t at, workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    const index p = best_bit_ops()->panel, count = stripe.cols.size();
    std::uint32_t* panels = w.bit_panels[at].at_least(stripe.width * s.bit_stride());
    for (index j = 0; j < stripe.width; j += p)
        bound_.right_bits(s).pack(stripe.cols.slice(std::min(j, count), std::clamp<index>(count - j, 0, p)),
                                  panels + j * s.bit_stride(), p);
}

// The norms of the stripe's bits side by side; the largest of them.
template <class T>
std::int32_t column_stripes<T>::collect_bit_norms(const open_stripe<T>& stripe, workspace<T>& w) const {
    const std::size_t at = bound_.table_source();
    const auto& norms = bound_.right_bits(bound_.sources[at]);
    std::int32_t largest = 0;
    std::int32_t* to = w.bit_norms[at].at_least(stripe.width);
    std::fill_n(to, stripe.width, 0);
    for (index j = 0; j < stripe.cols.size(); ++j) largest = std::max(largest, to[j] = norms.norm(stripe.cols[j]));
    return largest;
}

template <class T>
const T* column_stripes<T>::panels(const open_stripe<T>& stripe, std::size_t at, index kept_at, workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    if (kept_at >= 0) return packed_[at].data() + kept_at * s.depth();
    if (s.wide) return pack_present(s, stripe, w, at);
    return pack_panels(s, stripe.cols, {0, s.depth()}, w.panels[at].at_least(stripe.width * s.depth()), w, false);
}

template <class T>
const T* column_stripes<T>::low_panels(const open_stripe<T>& stripe, std::size_t at, index kept_at,
                                       workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    if (kept_at >= 0) return packed_low_[at].data() + kept_at * s.depth();
    return pack_panels(s, stripe.cols, {0, s.depth()}, w.low_panels[at].at_least(stripe.width * s.depth()), w, true);
}

template <class T>
panel_slices<T> column_stripes<T>::slice_of_panels(std::size_t at, const selection& cols, index kept_at, slice part,
                                                   bool low, workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    const index p = panel_of(s);
    if (kept_at >= 0)
        return {(low ? packed_low_ : packed_)[at].data() + kept_at * s.depth() + part.first * p, p * s.depth()};
    T* to = (low ? w.low_panels : w.panels)[at].at_least(padded(cols.size()) * part.count);
    return {pack_panels(s, cols, part, to, w, low), p * part.count};
}

template <class T>
void column_stripes<T>::pack_panel(const source<T>& s, const selection& some, slice part, T* to,
                                   pack_scratch<T>& scratch, bool low) const {
    if (low)
        s.z.pack_low(some, part, s.shift_data(), to, panel_of(s), scratch);
    else
        s.z.pack(some, part, s.shift_data(), to, panel_of(s), scratch);
}

template <class T>
const T* column_stripes<T>::pack_panels(const source<T>& s, const selection& cols, slice part, T* to, workspace<T>& w,
                                        bool low) const {
    const index p = panel_of(s), d = part.count;
    for (index j = 0; j < padded(cols.size()); j += p) {
        const index here = std::clamp<index>(cols.size() - j, 0, p);
        if (here > 0)
            pack_panel(s, cols.slice(j, here), part, to + j * d, w.pack, low);
        else
            std::fill_n(to + j * d, p * d, T(0));
    }
    return to;
}

// Panels that hold only the columns which occur in the stripe.
template <class T>
const T* column_stripes<T>::pack_present(const source<T>& s, const open_stripe<T>& stripe, workspace<T>& w,
                                         std::size_t at) const {
    auto& place = w.place[at];
    auto& present = w.present[at];
    if (static_cast<index>(place.size()) < s.depth()) place.assign(static_cast<std::size_t>(s.depth()), -1);
    for (index j = 0; j < stripe.cols.size(); ++j) {
        const auto [cols, values, entries] = s.z.entries(stripe.cols[j], w.pack);
        for (index k = 0; k < entries; ++k)
            if (place[cols[k]] < 0) {
                place[cols[k]] = static_cast<std::int32_t>(present.size());
                present.push_back(cols[k]);
            }
    }
    const index d = static_cast<index>(present.size()), p = ops_.sparse_panel;
    T* panels = w.panels[at].at_least(stripe.width * std::max<index>(d, 1));
    std::fill_n(panels, stripe.width * d, T(0));
    for (index j = 0; j < stripe.cols.size(); ++j) {
        const auto [cols, values, entries] = s.z.entries(stripe.cols[j], w.pack);
        T* panel = panels + j / p * p * d + j % p;
        for (index k = 0; k < entries; ++k) panel[static_cast<index>(place[cols[k]]) * p] = values[k];
    }
    return panels;
}

template class column_stripes<float>;
template class column_stripes<double>;

}  // namespace mercer::evaluation
