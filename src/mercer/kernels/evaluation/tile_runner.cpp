#include "mercer/kernels/evaluation/tile_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "mercer/base/error.h"
#include "mercer/kernels/tile/bits.h"

namespace mercer::evaluation {

namespace {

constexpr std::size_t max_rows = 16;  // an upper bound of block_rows for all instruction sets

// Returns the entries of a row in columns that occur in the column tile, numbered by their positions there.
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

// Copies values that were computed for all pairs of a call into a register.
template <class T, class U>
void copy_values(const matrix_view<const U>& values, index width, T* out) {
    for (index i = 0; i < values.rows; ++i) {
        for (index j = 0; j < values.cols; ++j) out[i * width + j] = static_cast<T>(values(i, j));
        std::fill(out + i * width + values.cols, out + (i + 1) * width, T(0));
    }
}

}  // namespace

template <class T>
void tile_runner<T>::run(const packed_columns<T>& columns, const row_batch<T>& batch, index first, index count,
                         row_pointers<T> out, index out_col, scratch<T>& w) const {
    T* registers = w.registers.at_least(data_.code->registers * ops_.block_rows * columns.width);
    for (index r0 = 0; r0 < count; r0 += ops_.block_rows) {
        const tile t{batch.rows.slice(first + r0, std::min(ops_.block_rows, count - r0)),
                     columns,
                     out.from(r0),
                     out_col,
                     registers,
                     w};
        if (data_.table.size() > 0 && read_table(t)) continue;
        for (std::size_t s = 0; s < data_.statistics.size(); ++s)
            if (data_.statistics[s].shared_with < 0) fill_statistic(s, batch, first + r0, t);
        run_instructions(t);
        if (data_.code->check_range) require_range(t);
    }
}

template <class T>
T* tile_runner<T>::register_of(const tile& t, int number) const {
    const auto& statistics = data_.statistics;
    const bool shared = number < static_cast<int>(statistics.size()) && statistics[number].shared_with >= 0;
    return t.registers + (shared ? statistics[number].shared_with : number) * ops_.block_rows * t.width();
}

// Reads kernel values from the table, indexed by the squared distances of bit vectors. Returns false, without a result,
// if a distance may lie beyond the table.
template <class T>
bool tile_runner<T>::read_table(const tile& t) const {
    if constexpr (std::is_same_v<T, float>) {
        const std::size_t at = data_.table_statistic();
        const auto& s = data_.statistics[at];
        const auto& table = data_.table;
        // ‖x - z‖² <= ‖x‖² + ‖z‖², or twice that if the signs may differ
        const auto entries = [&](index i) {
            return (s.signs ? 2 : 1) * (s.x_bits.norm(t.rows[i]) + t.columns.largest_norm) + 1;
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

// Fills the register of statistic `at` for the rows of a tile, which begin at `first` in their batch.
template <class T>
void tile_runner<T>::fill_statistic(std::size_t at, const row_batch<T>& batch, index first, const tile& t) const {
    const auto& s = data_.statistics[at];
    T* out = register_of(t, static_cast<int>(at));
    if (s.what == pair_statistic::user)
        copy_values(matrix_view<const double>(
                        batch.user_blocks[at].view().block(first, t.columns.first_col, t.rows.size(), t.real_width())),
                    t.width(), out);
    else if (s.is_deep())
        copy_values(batch.deep[at].block(first, t.columns.first_col, t.rows.size(), t.real_width()), t.width(), out);
    else if (s.stored_as_bits())
        fill_from_bits(at, t, out);
    else if (s.reads_sparse())
        fill_sparse(at, batch.packed[at], first, t, out);
    else
        fill_dense(at, batch.packed[at], first, t, out);
}

template <class T>
void tile_runner<T>::fill_from_bits(std::size_t at, const tile& t, T* out) const {
    if constexpr (std::is_same_v<T, float>) {
        const auto& s = data_.statistics[at];
        const bit_ops& counting = *best_bit_ops();
        for (index r = 0; r < t.rows.size(); ++r)
            counting.dot(s.x_bits.row(t.rows[r]), s.signs, s.words, t.w.bit_panels[at].data(),
                         t.width() / counting.panel, out + r * t.width());
    }
}

template <class T>
void tile_runner<T>::fill_dense(std::size_t at, const packed_rows<T>& left, index first, const tile& t, T* out) const {
    const auto& s = data_.statistics[at];
    const T *block = left.block(first), *panels = t.columns.panels[at], *low = t.columns.low_panels[at];
    const T* block_low = low ? left.low_block(first) : nullptr;
    const index d = s.depth();
    for (index j = 0; j < t.width(); j += ops_.panel)
        if (low && !s.recomputes_close_pairs())
            ops_.dense_low(s.what, block, block_low, panels + j * d, low + j * d, d, out + j, t.width(), false);
        else
            ops_.dense(s.what, block, panels + j * d, d, out + j, t.width(), false);
    if (s.recomputes_close_pairs()) to_distances(at, t, out, block, block_low);
}

template <class T>
void tile_runner<T>::fill_sparse(std::size_t at, const packed_rows<T>& left, index first, const tile& t, T* out) const {
    const auto& s = data_.statistics[at];
    const index d = s.packs_present_columns ? static_cast<index>(t.w.present[at].size()) : s.depth();
    for (index r = 0; r < t.rows.size(); ++r) {
        const auto& own = left.row(first + r);
        const auto [cols, values, entries] = s.packs_present_columns ? renumbered(own, t.w.place[at], t.w.pack) : own;
        for (index j = 0; j < t.width(); j += ops_.sparse_panel)
            ops_.sparse_dot(cols, values, entries, t.columns.panels[at] + j * d, out + r * t.width() + j);
    }
    if (s.recomputes_close_pairs() && to_distances(at, t, out, nullptr, nullptr) > 0) recompute_inaccurate(at, t, out);
}

// Replaces dot products by squared distances. Inaccurate ones are recomputed from differences if a block is given.
// Returns the number of inaccurate ones.
template <class T>
index tile_runner<T>::to_distances(std::size_t at, const tile& t, T* out, const T* block, const T* block_low) const {
    const auto& s = data_.statistics[at];
    auto& w = t.w;
    const index n = t.rows.size(), width = t.width();
    collect(s.x_norms, t.rows, n, w.row_norms[at]);
    collect(s.x_thresholds, t.rows, n, w.row_thresholds[at]);
    return ops_.distances({out, width, n, width, w.row_norms[at].data(), w.col_norms[at].data(),
                           w.row_thresholds[at].data(), w.col_thresholds[at].data(), block, block_low,
                           t.columns.panels[at], t.columns.low_panels[at], s.depth()});
}

// Recomputes the inaccurate pairs of sparse rows one by one.
template <class T>
void tile_runner<T>::recompute_inaccurate(std::size_t at, const tile& t, T* out) const {
    const auto& s = data_.statistics[at];
    for (index r = 0; r < t.rows.size(); ++r)
        for (index j = 0; j < t.real_width(); ++j)
            if (T& value = out[r * t.width() + j];
                value < std::max(t.w.row_thresholds[at][r], t.w.col_thresholds[at][j]))
                value = static_cast<T>(squared_difference(s.x, t.rows[r], s.z, t.columns.cols[j]));
}

template <class T>
void tile_runner<T>::run_instructions(const tile& t) const {
    const auto& steps = data_.code->code;
    const auto& last = steps.back();
    std::array<T*, max_rows> rows;
    // If the last instruction is a map, it writes directly to the result, provided that the result holds whole SIMD
    // vectors.
    const bool direct = t.width() == t.real_width() && last.operation == instruction::op::map;
    for (std::size_t at = 0; at + (direct ? 1 : 0) < steps.size(); ++at) run_step(at, t);
    const T* result = register_of(t, data_.code->result);
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
    const auto& step = data_.code->code[at];
    const index width = t.width(), count = ops_.block_rows * width;
    T* to = register_of(t, step.to);
    switch (step.operation) {
        case op::fill: std::fill_n(to, count, static_cast<T>(step.shift)); break;
        case op::map: {
            std::array<T*, max_rows> rows;
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
            collect(data_.factors[at].x, t.rows, t.rows.size(), t.w.row_factors[at]);
            ops_.outer(step.operation == op::outer_add ? tile_binary::add : tile_binary::multiply, to, width,
                       t.w.row_factors[at].data(), t.w.col_factors[at].data(), t.rows.size(), width);
            break;
    }
}

template <class T>
void tile_runner<T>::run_map(const instruction& step, const tile& t, T* const* to, bool stream) const {
    const index n = t.rows.size(), width = t.width();
    // The register of a recomputes_close_pairs() statistic already holds squared distances.
    const bool ready = step.input == map_input::squared_distance && data_.statistics[step.a].recomputes_close_pairs();
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
        collect(data_.statistics[step.a].x_norms, t.rows, n, t.w.row_norms[step.a]);
        call.row = t.w.row_norms[step.a].data();
        call.col = t.w.col_norms[step.a].data();
    }
    ops_.map(call);
}

// Makes `rows` point to the rows of the result. Returns true if the result may be written with stores that bypass the
// caches.
template <class T>
bool tile_runner<T>::point_at_result(const tile& t, T** rows) const {
    bool stream = t.columns.stream;
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
                fail(errc::data, fmt::format("k(x, z) of objects {} and {} is beyond the range of {}: scale the data",
                                             t.rows[i], t.columns.cols[j], precision<T>()));
}

template class tile_runner<float>;
template class tile_runner<double>;

}  // namespace mercer::evaluation
