// prepared_data: a plan bound to two data sets. It holds the vectors of every statistic with their norms, shift and
// cancellation thresholds, and the numbers per object that the plan needs. Internal to this folder.
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

// Thrown while a plan is bound to data for which float is not precise enough.
struct float_is_imprecise {};

// Results of more bytes than this fit into no cache, so they are written with stores that bypass the caches.
inline constexpr index min_streamed_bytes = index{64} << 20;

// A statistic bound to data: the vectors of the rows x and the columns z in the form that the tile loops read.
template <class T>
struct prepared_statistic {
    pair_statistic what = pair_statistic::dot;
    std::shared_ptr<const user_values> user;
    vector_operand<T> x, z;
    std::vector<T> shift;
    buffer<T> x_norms, z_norms;  // squared norms; empty if no map needs them
    buffer<T> x_thresholds,
        z_thresholds;     // thresholds (cancellation_threshold); empty if no distance has to be recomputed
    bool low = false;     // low parts, the rounding errors of the coordinates, are used too
    bool copied = false;  // x and z are copies from which the shift has been subtracted
    std::size_t copy_bytes = 0;
    // number of an earlier statistic with the same values, whose register is read instead; -1: none
    int shared_with = -1;
    // sparse vectors with more than 4096 columns: the panels of a column tile hold only the columns that occur there
    bool packs_present_columns = false;
    // long vectors are processed in ranges of this many coordinates; 0: all coordinates at once
    index range_length = 0;
    index words = 0;  // number of words of a vector stored as bits; 0: not stored as bits
    bool signs = false;
    bit_rows x_bits, z_bits;
    bool reads_sparse() const { return x.reads_sparse(); }
    bool stored_as_bits() const { return words > 0; }
    bool is_deep() const { return range_length > 0; }
    // Returns true if tiles are computed from the coordinates of this statistic, stored as numbers.
    bool reads_numbers() const { return what != pair_statistic::user && shared_with < 0 && !stored_as_bits(); }
    // The number of coordinates. Sparse data may have different numbers of columns on the two sides (a test file
    // without the last feature).
    index depth() const { return std::max(x.dims(), z.dims()); }
    index depth_at_once() const { return is_deep() ? range_length : depth(); }
    index bit_stride() const { return signs ? 2 * words : words; }
    const T* shift_data() const { return shift.empty() ? nullptr : shift.data(); }
    // Returns true if the register of this statistic holds squared distances, of which close pairs are recomputed, and
    // not dot products.
    bool recomputes_close_pairs() const { return x_thresholds.size() > 0; }
    // Returns true if its values cannot be shared with another statistic.
    bool has_own_values() const { return recomputes_close_pairs() || copied || !shift.empty(); }
};

// The numbers per object that an outer instruction applies: u of the rows (x) and v of the columns (z). Empty for other
// instructions.
template <class T>
struct outer_factors {
    std::vector<T> x, z;
};

// The diagonals k(x, x) of one data set for the plans of kernel parts. Plans may share a part; its diagonal is computed
// once.
template <class T>
using part_diagonals = std::map<const plan*, std::vector<T>>;

template <class T>
class prepared_data {
public:
    // Binds the plan to the rows x and the columns *z_, or to x on both sides if z_ is null.
    prepared_data(std::shared_ptr<const plan> plan_, dataset x_, const dataset* z_, const evaluator_memory& memory);
    // Binds the plan of a part of a kernel to x on both sides. `known` holds the diagonals of x computed so far.
    prepared_data(std::shared_ptr<const plan> part, dataset x_, part_diagonals<T>& known);
    // Binds the rows of a plan that is bound to K(x, x) to other columns z; only z is prepared. The values are
    // bit-identical to those of K(z, x). `can_use_columns` returns true if this is possible.
    prepared_data(const prepared_data& ready, dataset z_);
    bool can_use_columns(const dataset& z) const;

    std::shared_ptr<const plan> code;
    bool same_data = false;  // z is x
    dataset x, z;
    index rows = 0, cols = 0;
    std::vector<prepared_statistic<T>> statistics;
    std::vector<outer_factors<T>> factors;  // per instruction
    bool has_user_functions = false;        // a statistic is a user's function
    // kernel value for each squared distance 0, 1, … of bit vectors; empty if the plan is not a single map of such a
    // distance
    buffer<T> table;

    const buffer<T>& right_norms(const prepared_statistic<T>& s) const { return same_data ? s.x_norms : s.z_norms; }
    const buffer<T>& right_thresholds(const prepared_statistic<T>& s) const {
        return same_data ? s.x_thresholds : s.z_thresholds;
    }
    const bit_rows& right_bits(const prepared_statistic<T>& s) const { return same_data ? s.x_bits : s.z_bits; }
    // The number of the statistic whose squared distances index the table.
    std::size_t table_statistic() const { return static_cast<std::size_t>(code->code.back().a); }

private:
    void bind_statistics();
    void bind_vectors(prepared_statistic<T>& one, const plan_statistic& wanted, int at, const dataset& left,
                      const dataset& right);
    void bind_bits(prepared_statistic<T>& one, const dataset& left, const dataset& right) const;
    void bind_norms(prepared_statistic<T>& one, const dataset& left, const dataset& right) const;
    void bind_thresholds(prepared_statistic<T>& one, int at) const;
    void bind_columns(prepared_statistic<T>& one, std::size_t at) const;
    cancellation_threshold<T> thresholds_of(int at) const;
    void choose_range_length(prepared_statistic<T>& one) const;
    int find_shared(const prepared_statistic<T>& one, std::size_t at) const;
    void copy_vectors(prepared_statistic<T>& one, std::size_t& room) const;
    void bind_all(part_diagonals<T>& of_x);
    void bind_factors(part_diagonals<T>& of_x);
    void bind_table();

    evaluator_memory memory_;
};

extern template class prepared_data<float>;
extern template class prepared_data<double>;

}  // namespace mercer::evaluation
