// A plan bound to data: the vectors of every statistic with their norms, shift and doubts, and the numbers of objects
// that the plan asks for. Internal to this folder.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/per_thread.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/evaluation/vector_operand.h"
#include "mercer/kernels/plan.h"
#include "mercer/kernels/tile/bits.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::evaluation {

// When ‖x‖² + ‖z‖² - 2xᵀz is good enough for a function of the squared distance, and when it takes the differences
// xₐ-zₐ.
//
// Rounding leaves an error of about E = u·(‖x‖²·(1 + √d/2) + ‖z‖²·(1 + √d'/2)) in that sum, u the unit roundoff, d and
// d' the numbers of coordinates that are not zero (xᵀz has no more terms than the sparser of them), however close x and
// z are. A decreasing, convex f makes at most E·|f'(t)| of it: enough beyond some distance θ(E), where f is flat, but
// perhaps not for close pairs far from the origin. Every object has a threshold θ(E) of twice its own part; a pair with
// t below the larger of its two thresholds is computed again from differences, the others are right as they are. Which
// way a pair goes depends on the pair alone, so its value does not depend on what else is asked for.

template <class T>
class doubt {
public:
    static constexpr T never = -1;  // no squared distance is below it

    // Of the maps of one statistic; units of rounding of f(0) = 1 that are allowed.
    doubt(std::vector<map_call> maps, double units) : maps_(std::move(maps)), allowed_(units * unit) {}

    // θ of an object with this squared norm, a sum of so many terms.
    T threshold(double squared_norm, index terms) {
        const double error = unit * 2 * squared_norm * (1 + 0.5 * std::sqrt(static_cast<double>(terms)));
        if (!(error > 0) || !std::isfinite(error)) return never;
        // Steps of a factor √2, so that few different ones are ever worked out.
        const int step = static_cast<int>(std::ceil(2 * std::log2(error)));
        const auto [at, fresh] = known_.try_emplace(step, never);
        if (fresh)
            for (const map_call& f : maps_)
                at->second = std::max(at->second, static_cast<T>(threshold_of(f, std::exp2(0.5 * step))));
        return at->second;
    }

private:
    static constexpr double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;

    double threshold_of(const map_call& f, double error) const {
        const auto at = values(f, {0, error});
        if (at[0] - at[1] <= allowed_) return never;
        // |f'| at t is at most the slope of the chord from 0.9t to t. θ is past the error itself, so that t is known to
        // be beyond it.
        for (double t = 2 * error; t < 1e300; t *= 1.2) {
            const auto chord = values(f, {0.9 * t, t});
            if (error * (chord[0] - chord[1]) <= allowed_ * 0.1 * t) return t + error;
        }
        return 1e300;
    }

    static std::array<double, 2> values(const map_call& f, const std::array<double, 2>& t) {
        const auto& ops = best_tile_ops<double>();
        buffer<double> in(2 * ops.lanes), out(2 * ops.lanes);
        std::copy(t.begin(), t.end(), in.data());
        double* to = out.data();
        ops.map({f, map_input::value, in.data(), in.size(), &to, nullptr, nullptr, 1, in.size()});
        return {out[0], out[1]};
    }

    std::vector<map_call> maps_;
    double allowed_;
    std::unordered_map<int, T> known_;
};

}  // namespace mercer::evaluation

namespace mercer {

// Values of a user's function, asked for in large blocks: a call of it may cost more than thousands of its values.
// Internal to evaluator*.cpp.

class user_values {
public:
    static constexpr index most_bytes = index{256} << 20;  // of one answer
    // So many rows fit into one answer.
    static index rows_at_once(index cols) {
        return std::max<index>(1, most_bytes / (static_cast<index>(sizeof(double)) * std::max<index>(cols, 1)));
    }

    user_values(block_function f, dataset x, dataset z) : f_(std::move(f)), x_(std::move(x)), z_(std::move(z)) {}

    // By one call: of the function for these pairs, or for all pairs, which are then kept. All are worth asking for
    // where they fit and a small part is wanted, since others will follow, or where nearly as much has been asked for
    // before.
    matrix<double> block(const selection& rows, const selection& cols) const {
        matrix<double> out(rows.size(), cols.size());
        const index pairs = rows.size() * cols.size(), all = x_.size() * z_.size();
        const bool again = (asked_ += pairs) > all + all / 2;
        if (x_.size() > rows_at_once(z_.size()) || (pairs >= all / 8 && !again)) {
            f_(x_, rows, z_, cols, out.view());
            return out;
        }
        keep_all();
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j) out(i, j) = (*all_)(rows[i], cols[j]);
        return out;
    }

    // k(xᵢ, zᵢ) for i = first … by few calls: of blocks, since a call has its price, but not of a whole matrix for its
    // diagonal.
    void diagonal(index first, index count, double* out) const {
        constexpr index side = 32;
        for (index at = 0; at < count; at += side) {
            const selection some(first + at, std::min(side, count - at));
            matrix<double> values(some.size(), some.size());
            f_(x_, some, z_, some, values.view());
            for (index i = 0; i < some.size(); ++i) out[at + i] = values(i, i);
        }
    }

private:
    // Not std::call_once: an exception that leaves it ends the process where memory is exhausted (glibc then has to
    // load the library that unwinds its stack frames).
    void keep_all() const {
        const std::lock_guard one_at_a_time(keeping_);
        if (all_) return;
        matrix<double> values(x_.size(), z_.size());
        f_(x_, selection(0, x_.size()), z_, selection(0, z_.size()), values.view());
        all_ = std::move(values);
    }

    block_function f_;
    dataset x_, z_;
    mutable std::atomic<index> asked_ = 0;  // pairs
    mutable std::mutex keeping_;
    mutable std::optional<matrix<double>> all_;
};

}  // namespace mercer

namespace mercer::evaluation {

// What a statistic bound to data consists of, the rows of a call, and the scratch of a thread. Internal to this folder.

constexpr index ceil_div(index a, index b) { return (a + b - 1) / b; }

template <class T>
constexpr const char* precision() {
    return sizeof(T) == 4 ? "float" : "double";
}

// Thrown while a plan is bound to data on which floats would not do.
struct needs_double {};

// Results larger than this do not stay in any cache, so they are written past them.
inline constexpr index beyond_caches = index{64} << 20;

// One statistic bound to data.
template <class T>
struct source {
    statistic what = statistic::dot;
    std::shared_ptr<const user_values> user;
    operand<T> x, z;
    std::vector<T> shift;
    buffer<T> x_norms, z_norms;  // empty where no map wants norms
    buffer<T> x_doubt, z_doubt;  // thresholds of squared distances (doubt.h); empty where none is in doubt
    bool low = false;            // what rounding took from the coordinates is kept beside them
    bool copied = false;         // the operands are copies, minus the shift
    std::size_t copy_bytes = 0;
    int same_as = -1;   // an earlier source with the same numbers, which serves this one too
    bool wide = false;  // so many columns that a stripe's panels hold only the columns present in it
    index slice_depth =
        0;            // so many coordinates that they are worked on slice by slice, this many at once; 0: all at once
    index words = 0;  // of a vector as bits; 0: not held so
    bool signs = false;
    bit_rows x_bits, z_bits;
    bool sparse() const { return x.streamed_sparse(); }
    bool bits() const { return words > 0; }
    bool deep() const { return slice_depth > 0; }
    // Whether tiles are made of its own coordinates as numbers.
    bool reads_numbers() const { return what != statistic::user && same_as < 0 && !bits(); }
    // Sparse data may have different numbers of columns on the two sides (a test file without the last feature).
    index depth() const { return std::max(x.dims(), z.dims()); }
    index depth_at_once() const { return deep() ? slice_depth : depth(); }
    index bit_stride() const { return signs ? 2 * words : words; }
    const T* shift_data() const { return shift.empty() ? nullptr : shift.data(); }
    // Its register holds squared distances, not dot products.
    bool careful() const { return x_doubt.size() > 0; }
    // Nobody else's numbers will do.
    bool apart() const { return careful() || copied || !shift.empty(); }
};

// The numbers u, v of an outer instruction.
template <class T>
struct outer_factors {
    std::vector<T> x, z;
};

template <class T>
struct workspace {
    pack_scratch<T> pack;
    std::vector<buffer<T>> panels, low_panels;  // per statistic, when packed on the fly
    std::vector<buffer<T>> col_norms, row_norms;
    std::vector<buffer<T>> col_doubt, row_doubt;
    std::vector<buffer<T>> col_factors, row_factors;
    // Per wide statistic: column → position among the columns present in a stripe, -1 elsewhere; and the columns
    // present.
    std::vector<std::vector<std::int32_t>> place, present;
    std::vector<buffer<std::uint32_t>> bit_panels;
    std::vector<buffer<std::int32_t>> bit_norms;
    std::vector<left_rows<T>> left;      // per statistic: the rows of a call of this thread
    std::vector<buffer<T>> deep_values;  // per deep statistic: all pairs of a group of rows and the columns of a call
    buffer<T> deep_sums;
    buffer<T> registers;

    // For so many statistics and instructions.
    void make_room(std::size_t statistics, std::size_t steps) {
        for (auto* set : {&panels, &low_panels, &col_norms, &row_norms, &col_doubt, &row_doubt, &deep_values})
            if (set->size() < statistics) set->resize(statistics);
        for (auto* set : {&col_factors, &row_factors})
            if (set->size() < steps) set->resize(steps);
        if (place.size() < statistics) place.resize(statistics), present.resize(statistics);
        if (bit_panels.size() < statistics) bit_panels.resize(statistics), bit_norms.resize(statistics);
    }
};

// A workspace lent from the thread's stock. A user's function may evaluate kernels itself while a tile is half done, so
// one per thread is not enough; and one that an exception left half used is not put back.
template <class T>
class lease {
public:
    lease() : exceptions_(std::uncaught_exceptions()) {
        if (stock().empty()) stock().push_back(std::make_unique<workspace<T>>());
        held_ = std::move(stock().back());
        stock().pop_back();
    }
    ~lease() {
        if (std::uncaught_exceptions() != exceptions_) return;
        try {
            stock().push_back(std::move(held_));
        } catch (const std::bad_alloc&) {  // the workspace is released instead
        }
    }
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    workspace<T>& operator*() const { return *held_; }

private:
    static std::vector<std::unique_ptr<workspace<T>>>& stock() {
        auto& unused = per_thread<std::vector<std::unique_ptr<workspace<T>>>>([] {});
        return unused;
    }
    std::unique_ptr<workspace<T>> held_;
    int exceptions_;
};

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

namespace mercer::evaluation {

// k(x, x) of all objects of a data set by the plans of parts, which plans share.
template <class T>
using part_diagonals = std::map<const plan*, std::vector<T>>;

template <class T>
class bound_plan {
public:
    bound_plan(std::shared_ptr<const plan> plan_, dataset x_, const dataset* z_, const evaluator_memory& memory);
    // K(x, x) of a part of another plan over the same data; `known`: diagonals of that data.
    bound_plan(std::shared_ptr<const plan> part, dataset x_, part_diagonals<T>& known);
    // The rows of a plan bound to K(x, x) against other columns: only these are looked at. Values have the bits that
    // K(z, x) has. `takes` says whether it can be done.
    bound_plan(const bound_plan& ready, dataset z_);
    bool takes(const dataset& z) const;

    std::shared_ptr<const plan> code;
    bool same = false;  // z is x
    dataset x, z;
    index rows = 0, cols = 0;
    std::vector<source<T>> sources;
    std::vector<outer_factors<T>> factors;  // per instruction
    bool users = false;                     // a statistic is a user's function
    buffer<T> table;  // of what the plan makes of a squared distance 0, 1, … of bits; empty where it is another one

    const buffer<T>& right_norms(const source<T>& s) const { return same ? s.x_norms : s.z_norms; }
    const buffer<T>& right_doubt(const source<T>& s) const { return same ? s.x_doubt : s.z_doubt; }
    const bit_rows& right_bits(const source<T>& s) const { return same ? s.x_bits : s.z_bits; }
    // The statistic behind the table.
    std::size_t table_source() const { return static_cast<std::size_t>(code->code.back().a); }

private:
    void bind_sources();
    void bind_vectors(source<T>& one, const pair_statistic& wanted, int at, const dataset& left, const dataset& right);
    void bind_bits(source<T>& one, const dataset& left, const dataset& right) const;
    void bind_norms(source<T>& one, const dataset& left, const dataset& right) const;
    void bind_doubt(source<T>& one, int at) const;
    void bind_columns(source<T>& one, std::size_t at) const;
    doubt<T> doubt_of(int at) const;
    void choose_slices(source<T>& one) const;
    int twin_of(const source<T>& one, std::size_t at) const;
    void copy_vectors(source<T>& one, std::size_t& room) const;
    void bind_all(part_diagonals<T>& of_x);
    void bind_factors(part_diagonals<T>& of_x);
    void bind_table();

    evaluator_memory memory_;
};

extern template class bound_plan<float>;
extern template class bound_plan<double>;

// out[i] = k(x[i], x[i]) by a plan that is bound to the same data on both sides.
template <class T>
void diagonal_of(const bound_plan<T>& bound, std::span<T> out);

}  // namespace mercer::evaluation
