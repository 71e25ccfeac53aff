// The state of the SMO solver: the variables α, in an order that shrinking changes (a position is an index in this
// order), and the negative gradient F = p - Kα. F is updated with kernel rows in float and recomputed with kernel
// values in double when its rounding error would matter.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "mercer/dense/vector_ops.h"
#include "mercer/solvers/smo/row_store.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer::smo {

// Counts of a run.
struct counters {
    std::int64_t steps = 0, rounds = 0;               // pairs optimised, working sets solved
    std::int64_t rows_computed = 0, rows_reused = 0;  // of the kernel matrix
    std::int64_t flat_steps = 0, concave_steps = 0;   // of zero and of negative curvature
    double work = 0;  // estimated cycles of the working sets since Newton's method was last tried
};

// The variables of the problem, their bounds and F, at positions 0 … n-1. The active variables come first.
struct variables {
    // K is the matrix of the problem minus `kernel_offset`, as is the diagonal.
    variables(const box_problem& problem, const gram<float>& K, double kernel_offset);

    const index n;
    int groups = 1;
    const double kernel_offset;
    index active;  // positions 0 … active-1 are active
    std::vector<double> p, lower, upper, alpha;
    std::vector<double> F;  // p - Kα; of a shrunk variable, its value when the variable was shrunk
    std::vector<float> diagonal;
    std::vector<std::uint8_t> group;
    std::vector<index> original;  // the number in the problem of the variable at each position

    // From the last measure(), over the active variables: max{Fᵢ : αᵢ < uᵢ} and min{Fⱼ : αⱼ > lⱼ} of each group, and
    // the largest difference of the two.
    double max_up[2] = {0, 0}, min_low[2] = {0, 0};
    double gap = 0;

    bool can_increase(index i) const { return alpha[i] < upper[i]; }
    bool can_decrease(index i) const { return alpha[i] > lower[i]; }
    bool is_free(index i) const { return can_increase(i) && can_decrease(i); }
    double self_kernel(index i) const {
        return std::abs(static_cast<double>(diagonal[i]) + kernel_offset);
    }  // |K(i, i)|

    double measure();                // computes and returns the gap
    double max_abs_F() const;        // largest |F| of the active variables
    index find_nonfinite_F() const;  // a position, or -1 if F of all variables is finite
    double p_deviation() const;      // standard deviation of p; 0 if it is not finite
    index support_size() const;
    std::vector<index> support() const;  // the positions with α ≠ 0
    // Positions first … first+count-1 as columns of the kernel matrix.
    row_set columns(index first, index count) const;
    std::vector<double> original_order(const std::vector<double>& values) const;
    // Moves the variable at order[i] to position i, for the first order.size() positions.
    void reorder(const std::vector<index>& order);

private:
    bool in_order_ = true;
    const vector_ops& ops_ = best_vector_ops();
};

template <class Value>
void permute(std::vector<Value>& values, const std::vector<index>& order) {
    std::vector<Value> moved(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[order[i]];
    std::copy(moved.begin(), moved.end(), values.begin());
}

inline constexpr index column_tile = row_store::panel;  // columns of F that are updated together
inline constexpr index row_chunk = 512;                 // rows that are not kept are computed in chunks of this size

// Computes F of the variables from rows or blocks of the kernel matrix.
class gradient {
public:
    // `bytes`: bytes of the row cache.
    gradient(variables& v, const gram<float>& fast, const gram<double>& exact, std::size_t bytes, counters& done,
             const smo_thresholds& thresholds);

    // F[from … to) -= Σ delta·K(changed, ·). With `keep`, rows are stored in the row cache as far as it has space.
    void update(const std::vector<index>& changed, const std::vector<double>& delta, index from, index to, bool keep);
    // Recomputes F of all variables from p and α, in float.
    void reconstruct();
    // Recomputes F of these positions from kernel values in double.
    void make_exact(const std::vector<index>& points);
    // The same for all active variables, if that takes at most smo_thresholds::max_exact_values kernel values or at
    // most `cycles` cycles. Otherwise changes nothing and returns false.
    bool make_all_exact(double cycles = 0);
    // Makes F exact for a sample of the active variables, another sample at each call, and returns the largest change.
    double sample_error();
    // Every step-th active position, from another first position at each call.
    std::vector<index> sample_positions(index step);

    const gram<float>& fast() const { return fast_; }
    const gram<double>& exact() const { return exact_; }
    row_store& rows() { return store_; }
    const row_store& rows() const { return store_; }

private:
    variables& v_;
    const gram<float>& fast_;
    const gram<double>& exact_;
    row_store store_;
    counters& done_;
    const smo_thresholds& thresholds_;
    const vector_ops& ops_ = best_vector_ops();
    index samples_ = 0;
};

// Fails with errc::data because the value at (row, column) of the `which` matrix is not finite.
[[noreturn]] void fail_nonfinite_kernel(const char* which, double value, index row, index column);

// Fails with errc::data because F = p - Kα of variable `row` is `value`, and names a kernel value that is not finite if
// there is one. `support` are the variables with α ≠ 0. All numbers are those of the problem.
[[noreturn]] void fail_nonfinite_gradient(const gram<float>& fast, const gram<double>& exact, index row, double value,
                                          std::span<const index> support);

}  // namespace mercer::smo
