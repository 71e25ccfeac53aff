// What a statistic bound to data consists of, the rows of a call, and the scratch of a thread. Internal to this folder.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/per_thread.h"
#include "mercer/kernels/evaluation/bit_rows.h"
#include "mercer/kernels/evaluation/left_rows.h"
#include "mercer/kernels/evaluation/user_values.h"
#include "mercer/kernels/evaluation/vector_operand.h"
#include "mercer/kernels/plan.h"
#include "mercer/kernels/tile/bits.h"

namespace mercer::evaluation {

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
