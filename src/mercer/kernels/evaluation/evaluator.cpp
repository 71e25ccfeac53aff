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
        : bound(std::move(code), std::move(x), z, memory),
          stripes(bound, memory.packed_bytes),
          deep(bound, stripes),
          tiles(bound) {}
    state(const state& ready, const dataset& z)
        : bound(ready.bound, z), stripes(bound, 0), deep(bound, stripes), tiles(bound) {}

    evaluation::bound_plan<T> bound;
    evaluation::column_stripes<T> stripes;
    evaluation::deep_statistics<T> deep;
    evaluation::tile_runner<T> tiles;
};

using namespace evaluation;

template <class T>
evaluator<T>::evaluator(std::shared_ptr<const plan> code, dataset x)
    : state_(std::make_unique<state>(std::move(code), std::move(x), nullptr, evaluator_memory{})) {}

namespace {
void check_kind(const kernel& k, const dataset& data) {
    if (k.where() != domain::any && k.where() != data.kind())
        fail(errc::unsupported,
             fmt::format("{} is a kernel on {}, the data are {}", k.text(), name(k.where()), name(data.kind())));
}
}  // namespace

template <class T>
evaluator<T>::evaluator(const kernel& k, dataset x, dataset z, evaluator_memory memory) {
    check_kind(k, x);
    check_kind(k, z);
    try {
        state_ = std::make_unique<state>(k.compile(), x, &z, memory);
    } catch (const needs_double&) {
        wide_ = std::make_unique<evaluator<double>>(k, std::move(x), std::move(z), memory);
    }
}

template <class T>
evaluator<T>::evaluator(const kernel& k, dataset x, evaluator_memory memory) {
    check_kind(k, x);
    try {
        state_ = std::make_unique<state>(k.compile(), x, nullptr, memory);
    } catch (const needs_double&) {
        wide_ = std::make_unique<evaluator<double>>(k, std::move(x), memory);
        return;
    }
    if (!state_->bound.code->check_range) return;
    std::vector<T> self(static_cast<std::size_t>(rows()));
    diagonal(self);
    for (std::size_t i = 0; i < self.size(); ++i)
        if (!std::isfinite(self[i]))
            fail(errc::data,
                 fmt::format("{}: k(x, x) of object {} is beyond the range of {}{}", k.text(), i, precision<T>(),
                             k.node().has_log() ? "; normalize(" + k.text() + ") works on logarithms and is not" : ""));
}

template <class T>
evaluator<T>::~evaluator() = default;
template <class T>
evaluator<T>::evaluator(evaluator&&) noexcept = default;

template <class T>
evaluator<T>::evaluator(std::unique_ptr<state> made) : state_(std::move(made)) {}

template <class T>
std::optional<evaluator<T>> evaluator<T>::against(const dataset& columns) const {
    if (wide_ || !state_->bound.takes(columns)) return {};
    return evaluator(std::make_unique<state>(*state_, columns));
}

template <class T>
index evaluator<T>::rows() const {
    return wide_ ? wide_->rows() : state_->bound.rows;
}
template <class T>
index evaluator<T>::cols() const {
    return wide_ ? wide_->cols() : state_->bound.cols;
}
template <class T>
bool evaluator<T>::same() const {
    return wide_ ? wide_->same() : state_->bound.same;
}

namespace {
// Fills a block from an evaluator in double, 64 rows at a time, rounded to T.
template <class T>
void narrow(const evaluator<double>& from, const selection& rows, const selection& cols, const block_rows<T>& out) {
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
double evaluator<T>::element_cost() const {
    // Measured in cycles per vector of results: 1 for a coordinate in the dense loop and 1.4 in the sparse loop, about
    // 20 for a map, 2 for a word of bits, 6 for reading a table.
    if (wide_) return wide_->element_cost();
    const auto& bound = state_->bound;
    double cycles = bound.table.size() > 0 ? 6.0 : 20.0 * static_cast<double>(bound.code->code.size());
    for (const auto& each : bound.sources) {
        if (each.what == statistic::user) return 1000;
        cycles += each.bits()     ? 2.0 * static_cast<double>(each.bit_stride())
                  : each.sparse() ? 1.4 * each.x.mean_entries()
                                  : (each.what == statistic::dot ? 1.0 : 3.0) * static_cast<double>(each.depth());
    }
    return cycles / static_cast<double>(best_tile_ops<T>().lanes);
}

template <class T>
std::size_t evaluator<T>::kept_bytes() const {
    if (wide_) return wide_->kept_bytes();
    std::size_t bytes = state_->stripes.kept_bytes();
    for (const auto& each : state_->bound.sources) bytes += each.copy_bytes;
    return bytes;
}

namespace {

// Returns the number of rows of a call that are packed as one batch.
template <class T>
index rows_at_once(const bound_plan<T>& bound, const deep_statistics<T>& deep, index cols) {
    const index most = std::min(rows_in_group(bound.sources), deep.rows_at_once(cols)),
                unit = best_tile_ops<T>().block_rows;
    return bound.users ? std::min(most, ceil_div(user_values::rows_at_once(cols), unit) * unit) : most;
}

// Requests the values of user functions for all rows of the batch and all columns of the call.
template <class T>
void ask_users(const bound_plan<T>& bound, row_group<T>& group, const selection& cols) {
    if (!bound.users) return;
    for (const auto& s : bound.sources)
        group.asked.push_back(s.user ? s.user->block(group.rows, cols) : matrix<double>());
}

template <class T>
bool worth_mirroring(const bound_plan<T>& bound) {
    index work = 0;
    for (const auto& s : bound.sources) {
        if (s.what == statistic::user) return false;
        work += s.bits() ? s.bit_stride() : s.sparse() ? 4 + s.depth() / 8 : s.depth();
    }
    return work >= 32;
}

// Returns the distance between consecutive rows if `count` rows from `first` on are evenly spaced in memory, else
// nothing.
template <class T>
std::optional<index> even_distance(const block_rows<T>& out, index first, index count) {
    const index distance = count > 1 ? out[first + 1] - out[first] : 0;
    for (index i = 2; i < count; ++i)
        if (out[first + i] - out[first + i - 1] != distance) return {};
    return distance;
}

// out(j, i) = out(i, j) for `rows` rows i from r0 and `cols` columns j from c0. The rows of `out` may lie anywhere.
template <class T>
void mirror(const block_rows<T>& out, index r0, index c0, index rows, index cols) {
    const auto from = even_distance(out, r0, rows), to = even_distance(out, c0, cols);
    if (from && to) return best_tile_ops<T>().transpose(out[r0] + c0, *from, out[c0] + r0, *to, rows, cols);
    for (index i = 0; i < rows; ++i)
        for (index j = 0; j < cols; ++j) out[c0 + j][r0 + i] = out[r0 + i][c0 + j];
}

}  // namespace

template <class T>
void evaluator<T>::block(const selection& which_rows, const selection& which_cols, block_rows<T> out) const {
    const index rows = which_rows.size(), cols = which_cols.size();
    if (rows == 0 || cols == 0) return;
    if (wide_) return narrow(*wide_, which_rows, which_cols, out);
    const state& s = *state_;
    const bool kept = s.stripes.kept_for(which_cols);
    const index width = s.stripes.width(), stripes = ceil_div(cols, width), most = rows_at_once(s.bound, s.deep, cols),
                unit = best_tile_ops<T>().block_rows;
    const bool stream = rows * cols * static_cast<index>(sizeof(T)) > beyond_caches;
    const lease<T> own;
    for (index g0 = 0; g0 < rows; g0 += most) {
        auto group = make_ready(s.bound.sources, which_rows.slice(g0, std::min(most, rows - g0)), *own);
        ask_users(s.bound, group, which_cols);
        s.deep.fill(group, which_cols, group.rows.size(), *own);
        const index count = group.rows.size(), chunk = rows_in_chunk(count, stripes, unit),
                    chunks = ceil_div(count, chunk);
        parallel_for(stripes * chunks, [&](index item) {
            const index c0 = item / chunks * width, r0 = item % chunks * chunk;
            const lease<T> lent;
            auto& w = *lent;
            auto stripe =
                s.stripes.open(which_cols.slice(c0, std::min(width, cols - c0)), kept ? which_cols[c0] : -1, stream, w);
            stripe.at = c0;
            s.tiles.run(stripe, group, r0, std::min(chunk, count - r0), out.from(g0 + r0), c0, w);
            s.stripes.close(w);
        });
    }
}

template <class T>
void evaluator<T>::all(matrix_view<T> out) const {
    if (same())
        square(selection(0, rows()), out);
    else
        block(selection(0, rows()), selection(0, cols()), out);
}

template <class T>
void evaluator<T>::square(const selection& which, block_rows<T> out) const {
    if (wide_) return block(which, which, out);
    const state& s = *state_;
    // With few coordinates computing both halves is cheaper than mirroring one. A user's function may be asymmetric, so
    // both halves are requested from it.
    const index n = which.size(), stripe_width = s.stripes.width(), stripes = ceil_div(n, stripe_width),
                unit = best_tile_ops<T>().block_rows;
    if (!s.bound.same || stripes < 2 || !worth_mirroring(s.bound)) return block(which, which, out);
    // Each column tile is computed down to the diagonal; the part below the diagonal is its mirror image. The longest
    // column tiles come first.
    const bool kept = s.stripes.kept_for(which);
    const index band = stripe_width / unit * unit;  // rows to mirror while they are still in L2
    const index most = rows_at_once(s.bound, s.deep, n);
    const lease<T> own;
    for (index g0 = 0; g0 < n; g0 += most) {
        auto group = make_ready(s.bound.sources, which.slice(g0, std::min(most, n - g0)), *own);
        const index first = g0 / stripe_width, left = first * stripe_width;
        s.deep.fill(group, which.slice(left, n - left), left - g0, *own);
        parallel_for(stripes - first, [&](index item) {
            const index c0 = (stripes - 1 - item) * stripe_width, width = std::min(stripe_width, n - c0);
            const index end = std::min(g0 + group.rows.size(), c0 + width);
            const lease<T> lent;
            auto& w = *lent;
            auto stripe = s.stripes.open(which.slice(c0, width), kept ? which[c0] : -1, false, w);
            stripe.at = c0 - left;
            for (index r0 = g0; r0 < end; r0 += band) {
                const index count = std::min(band, end - r0), mirrored = std::min(count, c0 - r0);
                s.tiles.run(stripe, group, r0 - g0, count, out.from(r0), c0, w);
                if (mirrored > 0) mirror(out, r0, c0, mirrored, width);
            }
            s.stripes.close(w);
        });
    }
}

template <class T>
void evaluator<T>::diagonal(std::span<T> out) const {
    if (wide_) {
        std::vector<double> values(out.size());
        wide_->diagonal(values);
        std::transform(values.begin(), values.end(), out.begin(), [](double v) { return static_cast<T>(v); });
        return;
    }
    diagonal_of(state_->bound, out);
}

std::vector<double> self_values(const kernel& k, const dataset& x) {
    std::vector<double> values(static_cast<std::size_t>(x.size()));
    evaluator<double>(k, x).diagonal(values);
    return values;
}

double pair_value(const kernel& k, const dataset& x, const dataset& z) {
    double value = 0;
    evaluator<double>(k, x, z).block(selection(0, 1), selection(0, 1), matrix_view<double>(&value, 1, 1));
    return value;
}

template class evaluator<float>;
template class evaluator<double>;

}  // namespace mercer
