// A plan bound to data: the vectors of every statistic with their norms, shift and doubts, and the numbers of objects
// that the plan asks for. Internal to this folder.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/evaluation/bit_rows.h"
#include "mercer/kernels/evaluation/cancellation_threshold.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/evaluation/user_values.h"
#include "mercer/kernels/evaluation/vector_operand.h"
#include "mercer/kernels/plan.h"

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

}  // namespace mercer::evaluation
