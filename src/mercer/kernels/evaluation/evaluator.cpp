#include "mercer/kernels/evaluation/evaluator.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/evaluation/evaluator_state.h"

namespace mercer {

template <class T>
evaluator<T>::evaluator(std::shared_ptr<const plan> code, dataset x)
    : state_(std::make_unique<state>(std::move(code), std::move(x), nullptr, evaluator_memory{})) {}

namespace {
void check_kind(const kernel& k, const dataset& data) {
    if (k.where() != domain::any && k.where() != data.kind())
        fail(errc::unsupported, fmt::format("{} is a kernel on {}, the data are {}", k.text(), name(k.where()), name(data.kind())));
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
    if (!state_->code->check_range) return;
    std::vector<T> self(static_cast<std::size_t>(rows()));
    diagonal(self);
    for (std::size_t i = 0; i < self.size(); ++i)
        if (!std::isfinite(self[i]))
            fail(errc::data, fmt::format("{}: k(x, x) of object {} is beyond the range of {}{}", k.text(), i, state::precision(),
                                         k.node().has_log() ? "; normalize(" + k.text() + ") works on logarithms and is not" : ""));
}

template <class T>
evaluator<T>::~evaluator() = default;
template <class T>
evaluator<T>::evaluator(evaluator&&) noexcept = default;

template <class T>
index evaluator<T>::rows() const {
    return wide_ ? wide_->rows() : state_->rows;
}
template <class T>
index evaluator<T>::cols() const {
    return wide_ ? wide_->cols() : state_->cols;
}
template <class T>
bool evaluator<T>::same() const {
    return wide_ ? wide_->same() : state_->same;
}

namespace {
// A block of an evaluator in double, rounded; some rows at a time.
template <class T>
void narrow(const evaluator<double>& from, const selection& rows, const selection& cols, const block_rows<T>& out) {
    constexpr index band = 64;
    matrix<double> some(std::min(band, rows.size()), cols.size());
    for (index r = 0; r < rows.size(); r += band) {
        const index count = std::min(band, rows.size() - r);
        from.block(rows.slice(r, count), cols, some.view());
        for (index i = 0; i < count; ++i) std::transform(some.row(i), some.row(i) + cols.size(), out[r + i], [](double v) { return static_cast<T>(v); });
    }
}
}  // namespace

template <class T>
double evaluator<T>::element_cost() const {
    // Measured: a coordinate costs 1 cycle per vector of results in the dense loop and 1.4 in the sparse one, a map about 20;
    // a word of bits costs 2, a look into a table 6.
    if (wide_) return wide_->element_cost();
    const auto& s = *state_;
    double cycles = s.table.size() > 0 ? 6.0 : 20.0 * static_cast<double>(s.code->code.size());
    for (const auto& each : s.sources) {
        if (each.what == statistic::user) return 1000;
        cycles += each.bits()     ? 2.0 * static_cast<double>(each.bit_stride())
                  : each.sparse() ? 1.4 * each.x.mean_entries()
                                  : (each.what == statistic::dot ? 1.0 : 3.0) * static_cast<double>(each.depth());
    }
    return cycles / static_cast<double>(s.ops.lanes);
}

template <class T>
std::size_t evaluator<T>::kept_bytes() const {
    if (wide_) return wide_->kept_bytes();
    std::size_t bytes = 0;
    for (const auto& each : state_->sources) bytes += static_cast<std::size_t>(each.packed.size() + each.packed_low.size()) * sizeof(T) + each.copy_bytes;
    return bytes;
}

template <class T>
void evaluator<T>::block(const selection& which_rows, const selection& which_cols, block_rows<T> out) const {
    const index rows = which_rows.size(), cols = which_cols.size();
    if (rows == 0 || cols == 0) return;
    if (wide_) return narrow(*wide_, which_rows, which_cols, out);
    const state& s = *state_;
    // Kept panels serve ranges that start at a panel.
    const bool aligned = s.kept && which_cols.is_range() && which_cols[0] % s.ops.sparse_panel == 0;
    const index stripes = ceil_div(cols, s.stripe), most = s.rows_at_once(cols);
    const bool stream = rows * cols * static_cast<index>(sizeof(T)) > beyond_caches;
    const lease<T> own;
    for (index g0 = 0; g0 < rows; g0 += most) {
        auto group = make_ready(s.sources, which_rows.slice(g0, std::min(most, rows - g0)), *own);
        s.ask_users(group, which_cols);
        const index count = group.rows.size();
        // Enough items for every thread; rows are split only as far as that needs, since every part of a stripe packs it again.
        const index parts = std::clamp<index>(ceil_div(4 * threads(), stripes), 1, ceil_div(count, 4 * s.ops.block_rows));
        const index chunk = ceil_div(ceil_div(count, parts), s.ops.block_rows) * s.ops.block_rows;
        const index chunks = ceil_div(count, chunk);
        parallel_for(stripes * chunks, [&](index item) {
            const index c0 = item / chunks * s.stripe, r0 = item % chunks * chunk;
            const lease<T> lent;
            auto& w = *lent;
            auto stripe = s.open(which_cols.slice(c0, std::min(s.stripe, cols - c0)), aligned ? which_cols[c0] : -1, stream, w);
            stripe.at = c0;
            s.run(stripe, group, r0, std::min(chunk, count - r0), out.from(g0 + r0), c0, w);
            s.close(w);
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
    // Few coordinates: computing both halves is cheaper than mirroring one. A user's function may not be symmetric: ask for both.
    const index n = which.size(), stripes = ceil_div(n, s.stripe);
    if (!s.same || stripes < 2 || !s.worth_mirroring()) return block(which, which, out);
    // Stripe by stripe down to the diagonal; what lies below it is the mirror image. The longest stripes first.
    const bool aligned = s.kept && which.is_range() && which[0] % s.ops.sparse_panel == 0;
    const index band = s.stripe / s.ops.block_rows * s.ops.block_rows;  // rows mirrored while they are still in L2
    const index most = rows_in_group(s.sources);
    const lease<T> own;
    for (index g0 = 0; g0 < n; g0 += most) {
        const auto group = make_ready(s.sources, which.slice(g0, std::min(most, n - g0)), *own);
        const index first = g0 / s.stripe;
        parallel_for(stripes - first, [&](index item) {
            const index c0 = (stripes - 1 - item) * s.stripe, width = std::min(s.stripe, n - c0);
            const index end = std::min(g0 + group.rows.size(), c0 + width);
            const lease<T> lent;
            auto& w = *lent;
            const auto stripe = s.open(which.slice(c0, width), aligned ? which[c0] : -1, false, w);
            for (index r0 = g0; r0 < end; r0 += band) {
                const index count = std::min(band, end - r0), mirror = std::min(count, c0 - r0);
                s.run(stripe, group, r0 - g0, count, out.from(r0), c0, w);
                if (mirror > 0) s.mirror(out, r0, c0, mirror, width);
            }
            s.close(w);
        });
    }
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
