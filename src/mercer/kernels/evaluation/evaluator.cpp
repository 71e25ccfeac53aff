#include "mercer/kernels/evaluation/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/evaluation/deep_statistics.h"
#include "mercer/kernels/evaluation/packed_columns.h"
#include "mercer/kernels/evaluation/plan_diagonal.h"
#include "mercer/kernels/evaluation/prepared_data.h"
#include "mercer/kernels/evaluation/row_batch.h"
#include "mercer/kernels/evaluation/scratch.h"
#include "mercer/kernels/evaluation/tile_runner.h"

namespace mercer {

// The parts of an evaluator.

template <class T>
struct evaluator<T>::state {
    state(std::shared_ptr<const plan> code, dataset x, const dataset* z, const evaluator_memory& memory)
        : data(std::move(code), std::move(x), z, memory),
          tiles(data, memory.packed_bytes),
          deep(data, tiles),
          runner(data) {}
    state(const state& ready, const dataset& z)
        : data(ready.data, z), tiles(data, 0), deep(data, tiles), runner(data) {}

    evaluation::prepared_data<T> data;
    evaluation::column_tiles<T> tiles;
    evaluation::deep_statistics<T> deep;
    evaluation::tile_runner<T> runner;
};

using namespace evaluation;

template <class T>
evaluator<T>::evaluator(std::shared_ptr<const plan> code, dataset x)
    : state_(std::make_unique<state>(std::move(code), std::move(x), nullptr, evaluator_memory{})) {}

namespace {
void check_kind(const kernel& k, const dataset& data) {
    if (k.kind() != object_kind::any && k.kind() != data.kind())
        fail(errc::unsupported,
             fmt::format("{} is a kernel on {}, but the data are {}", k.text(), name(k.kind()), name(data.kind())));
}
}  // namespace

template <class T>
evaluator<T>::evaluator(const kernel& k, dataset x, dataset z, evaluator_memory memory) {
    check_kind(k, x);
    check_kind(k, z);
    try {
        state_ = std::make_unique<state>(k.compile(), x, &z, memory);
    } catch (const float_is_imprecise&) {
        in_double_ = std::make_unique<evaluator<double>>(k, std::move(x), std::move(z), memory);
    }
}

template <class T>
evaluator<T>::evaluator(const kernel& k, dataset x, evaluator_memory memory) {
    check_kind(k, x);
    try {
        state_ = std::make_unique<state>(k.compile(), x, nullptr, memory);
    } catch (const float_is_imprecise&) {
        in_double_ = std::make_unique<evaluator<double>>(k, std::move(x), memory);
        return;
    }
    if (!state_->data.code->check_range) return;
    std::vector<T> self(static_cast<std::size_t>(rows()));
    diagonal(self);
    for (std::size_t i = 0; i < self.size(); ++i)
        if (!std::isfinite(self[i]))
            fail(errc::data,
                 fmt::format("{}: k(x, x) of object {} is beyond the range of {}{}", k.text(), i, precision<T>(),
                             k.node().has_log()
                                 ? "; normalize(" + k.text() + ") computes with logarithms and avoids this"
                                 : ""));
}

template <class T>
evaluator<T>::~evaluator() = default;
template <class T>
evaluator<T>::evaluator(evaluator&&) noexcept = default;

template <class T>
evaluator<T>::evaluator(std::unique_ptr<state> made) : state_(std::move(made)) {}

template <class T>
std::optional<evaluator<T>> evaluator<T>::with_columns(const dataset& columns) const {
    if (in_double_ || !state_->data.can_use_columns(columns)) return {};
    return evaluator(std::make_unique<state>(*state_, columns));
}

template <class T>
index evaluator<T>::rows() const {
    return in_double_ ? in_double_->rows() : state_->data.rows;
}
template <class T>
index evaluator<T>::cols() const {
    return in_double_ ? in_double_->cols() : state_->data.cols;
}
template <class T>
bool evaluator<T>::has_same_data() const {
    return in_double_ ? in_double_->has_same_data() : state_->data.same_data;
}

namespace {
// Fills a block from an evaluator in double, 64 rows at a time, rounded to T.
template <class T>
void round_block(const evaluator<double>& from, const row_set& rows, const row_set& cols, const row_pointers<T>& out) {
    constexpr index band = 64;
    matrix<double> some(std::min(band, rows.size()), cols.size());
    for (index r = 0; r < rows.size(); r += band) {
        const index count = std::min(band, rows.size() - r);
        from.block(rows.slice(r, count), cols, some.view());
        for (index i = 0; i < count; ++i)
            std::transform(some.row(i), some.row(i) + cols.size(), out[r + i],
                           [](double v) { return static_cast<T>(v); });
    }
}
}  // namespace

template <class T>
double evaluator<T>::cycles_per_element() const {
    // Measured in cycles per vector of results: 1 for a coordinate in the dense loop and 1.4 in the sparse loop, about
    // 20 for a map, 2 for a word of bits, 6 for reading a table.
    if (in_double_) return in_double_->cycles_per_element();
    const auto& data = state_->data;
    double cycles = data.table.size() > 0 ? 6.0 : 20.0 * static_cast<double>(data.code->code.size());
    for (const auto& each : data.statistics) {
        if (each.what == pair_statistic::user) return 1000;
        cycles += each.stored_as_bits() ? 2.0 * static_cast<double>(each.bit_stride())
                  : each.reads_sparse()
                      ? 1.4 * each.x.mean_entries()
                      : (each.what == pair_statistic::dot ? 1.0 : 3.0) * static_cast<double>(each.depth());
    }
    return cycles / static_cast<double>(best_tile_ops<T>().lanes);
}

template <class T>
std::size_t evaluator<T>::stored_bytes() const {
    if (in_double_) return in_double_->stored_bytes();
    std::size_t bytes = state_->tiles.stored_bytes();
    for (const auto& each : state_->data.statistics) bytes += each.copy_bytes;
    return bytes;
}

namespace {

// Returns the number of rows of a call that are packed as one batch.
template <class T>
index rows_at_once(const prepared_data<T>& data, const deep_statistics<T>& deep, index cols) {
    const index most = std::min(rows_per_batch(data.statistics), deep.rows_at_once(cols)),
                unit = best_tile_ops<T>().block_rows;
    return data.has_user_functions ? std::min(most, ceil_div(user_values::rows_at_once(cols), unit) * unit) : most;
}

// Requests the values of user functions for all rows of the batch and all columns of the call.
template <class T>
void compute_user_blocks(const prepared_data<T>& data, row_batch<T>& batch, const row_set& cols) {
    if (!data.has_user_functions) return;
    for (const auto& s : data.statistics)
        batch.user_blocks.push_back(s.user ? s.user->block(batch.rows, cols) : matrix<double>());
}

template <class T>
bool should_mirror(const prepared_data<T>& data) {
    index work = 0;
    for (const auto& s : data.statistics) {
        if (s.what == pair_statistic::user) return false;
        work += s.stored_as_bits() ? s.bit_stride() : s.reads_sparse() ? 4 + s.depth() / 8 : s.depth();
    }
    return work >= 32;
}

// Returns the distance between consecutive rows if `count` rows from `first` on are evenly spaced in memory, else
// nothing.
template <class T>
std::optional<index> row_distance(const row_pointers<T>& out, index first, index count) {
    const index distance = count > 1 ? out[first + 1] - out[first] : 0;
    for (index i = 2; i < count; ++i)
        if (out[first + i] - out[first + i - 1] != distance) return {};
    return distance;
}

// out(j, i) = out(i, j) for `rows` rows i from r0 and `cols` columns j from c0. The rows of `out` may lie anywhere.
template <class T>
void mirror(const row_pointers<T>& out, index r0, index c0, index rows, index cols) {
    const auto from = row_distance(out, r0, rows), to = row_distance(out, c0, cols);
    if (from && to) return best_tile_ops<T>().transpose(out[r0] + c0, *from, out[c0] + r0, *to, rows, cols);
    for (index i = 0; i < rows; ++i)
        for (index j = 0; j < cols; ++j) out[c0 + j][r0 + i] = out[r0 + i][c0 + j];
}

}  // namespace

template <class T>
void evaluator<T>::block(const row_set& which_rows, const row_set& which_cols, row_pointers<T> out) const {
    const index rows = which_rows.size(), cols = which_cols.size();
    if (rows == 0 || cols == 0) return;
    if (in_double_) return round_block(*in_double_, which_rows, which_cols, out);
    const state& s = *state_;
    const bool kept = s.tiles.has_stored_panels(which_cols);
    const index width = s.tiles.width(), tiles = ceil_div(cols, width), most = rows_at_once(s.data, s.deep, cols),
                unit = best_tile_ops<T>().block_rows;
    const bool stream = rows * cols * static_cast<index>(sizeof(T)) > min_streamed_bytes;
    const scratch_lease<T> own;
    for (index g0 = 0; g0 < rows; g0 += most) {
        auto batch = pack_batch(s.data.statistics, which_rows.slice(g0, std::min(most, rows - g0)), *own);
        compute_user_blocks(s.data, batch, which_cols);
        s.deep.fill(batch, which_cols, batch.rows.size(), *own);
        const index count = batch.rows.size(), chunk = rows_per_chunk(count, tiles, unit),
                    chunks = ceil_div(count, chunk);
        parallel_for(tiles * chunks, [&](index item) {
            const index c0 = item / chunks * width, r0 = item % chunks * chunk;
            const scratch_lease<T> lent;
            auto& w = *lent;
            auto columns =
                s.tiles.pack(which_cols.slice(c0, std::min(width, cols - c0)), kept ? which_cols[c0] : -1, stream, w);
            columns.first_col = c0;
            s.runner.run(columns, batch, r0, std::min(chunk, count - r0), out.from(g0 + r0), c0, w);
            s.tiles.release(w);
        });
    }
}

template <class T>
void evaluator<T>::fill(matrix_view<T> out) const {
    if (has_same_data())
        symmetric_block(row_set(0, rows()), out);
    else
        block(row_set(0, rows()), row_set(0, cols()), out);
}

template <class T>
void evaluator<T>::symmetric_block(const row_set& which, row_pointers<T> out) const {
    if (in_double_) return block(which, which, out);
    const state& s = *state_;
    // With few coordinates computing both halves is cheaper than mirroring one. A user's function may be asymmetric, so
    // both halves are requested from it.
    const index n = which.size(), tile_width = s.tiles.width(), tiles = ceil_div(n, tile_width),
                unit = best_tile_ops<T>().block_rows;
    if (!s.data.same_data || tiles < 2 || !should_mirror(s.data)) return block(which, which, out);
    // Each column tile is computed down to the diagonal; the part below the diagonal is its mirror image. The longest
    // column tiles come first.
    const bool kept = s.tiles.has_stored_panels(which);
    const index band = tile_width / unit * unit;  // rows to mirror while they are still in L2
    const index most = rows_at_once(s.data, s.deep, n);
    const scratch_lease<T> own;
    for (index g0 = 0; g0 < n; g0 += most) {
        auto batch = pack_batch(s.data.statistics, which.slice(g0, std::min(most, n - g0)), *own);
        const index first = g0 / tile_width, left = first * tile_width;
        s.deep.fill(batch, which.slice(left, n - left), left - g0, *own);
        parallel_for(tiles - first, [&](index item) {
            const index c0 = (tiles - 1 - item) * tile_width, width = std::min(tile_width, n - c0);
            const index end = std::min(g0 + batch.rows.size(), c0 + width);
            const scratch_lease<T> lent;
            auto& w = *lent;
            auto columns = s.tiles.pack(which.slice(c0, width), kept ? which[c0] : -1, false, w);
            columns.first_col = c0 - left;
            for (index r0 = g0; r0 < end; r0 += band) {
                const index count = std::min(band, end - r0), mirrored = std::min(count, c0 - r0);
                s.runner.run(columns, batch, r0 - g0, count, out.from(r0), c0, w);
                if (mirrored > 0) mirror(out, r0, c0, mirrored, width);
            }
            s.tiles.release(w);
        });
    }
}

template <class T>
void evaluator<T>::diagonal(std::span<T> out) const {
    if (in_double_) {
        std::vector<double> values(out.size());
        in_double_->diagonal(values);
        std::transform(values.begin(), values.end(), out.begin(), [](double v) { return static_cast<T>(v); });
        return;
    }
    diagonal_of(state_->data, out);
}

std::vector<double> kernel_diagonal(const kernel& k, const dataset& x) {
    std::vector<double> values(static_cast<std::size_t>(x.size()));
    evaluator<double>(k, x).diagonal(values);
    return values;
}

double pair_value(const kernel& k, const dataset& x, const dataset& z) {
    double value = 0;
    evaluator<double>(k, x, z).block(row_set(0, 1), row_set(0, 1), matrix_view<double>(&value, 1, 1));
    return value;
}

template class evaluator<float>;
template class evaluator<double>;

}  // namespace mercer
