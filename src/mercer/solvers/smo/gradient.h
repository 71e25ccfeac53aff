// F = p - Kα: kept up to date with kernel rows in float, made exact with values in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "mercer/dense/vector_ops.h"
#include "mercer/solvers/smo/row_store.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer::smo {

// The variables of the problem and what is known of them, in the order of the solver's positions: active ones first.

// What has been done so far.
struct counters {
    std::int64_t steps = 0, rounds = 0;               // pairs and blocks solved
    std::int64_t rows_computed = 0, rows_reused = 0;  // of the kernel matrix
    std::int64_t flat_steps = 0, concave_steps = 0;   // of zero and of negative curvature
    double work = 0;  // of blocks since Newton's method was last tried, in about so many cycles
};

struct variables {
    // The diagonal is that of K - common.
    variables(const box_problem& problem, const gram<float>& K, double common);

    const index n;
    int groups = 1;
    const double common;
    index active;  // positions 0 … active-1 take part
    std::vector<double> p, lower, upper, alpha;
    std::vector<double> F;  // p - Kα; of points set aside, what it was then
    std::vector<float> diagonal;
    std::vector<std::uint8_t> group;
    std::vector<index> original;  // of each position, the number of its point in the problem

    // Of the active points, when last measured: in each group max{Fᵢ : αᵢ < uᵢ}, min{Fⱼ : αⱼ > lⱼ}, and the largest
    // difference of the two.
    double max_up[2] = {0, 0}, min_low[2] = {0, 0};
    double gap = 0;

    bool can_rise(index i) const { return alpha[i] < upper[i]; }
    bool can_fall(index i) const { return alpha[i] > lower[i]; }
    bool is_free(index i) const { return can_rise(i) && can_fall(i); }
    double self(index i) const { return std::abs(static_cast<double>(diagonal[i]) + common); }  // K(i, i)

    double measure();                  // the gap
    double largest_F() const;          // |F| of the active points
    index first_not_finite_F() const;  // a position; -1: F of all points is finite
    double spread_of_p() const;        // its standard deviation; 0 where that is not finite
    index support_size() const;
    std::vector<index> support() const;  // positions with α ≠ 0
    // Positions first … first+count-1, as columns of the kernel matrix.
    selection columns(index first, index count) const;
    std::vector<double> original_order(const std::vector<double>& values) const;
    // Position i of the first order.size() becomes what was at order[i].
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

inline constexpr index stripe = row_store::panel;  // columns of F updated at a time
inline constexpr index row_chunk = 512;            // rows that are used but not kept are computed this many at a time

class gradient {
public:
    // `room`: bytes for kept rows.
    gradient(variables& v, const gram<float>& fast, const gram<double>& exact, std::size_t room, counters& done,
             const limits& by);

    // F[from … to) -= Σ delta·K(changed, ·); with `keep`, rows stay where there is room for them.
    void update(const std::vector<index>& changed, const std::vector<double>& delta, index from, index to, bool keep);
    // F of all points from p and α, in float.
    void reconstruct();
    // F of these points in double.
    void make_exact(const std::vector<index>& points);
    // That of all active ones, if it does not take too many kernel values, or no more than so many cycles; else
    // nothing, and false.
    bool make_all_exact(double cycles = 0);
    // How far F is from its exact values at a few of the active points, a new choice each time; they are exact then.
    double sampled_error();
    // Every step-th active point, from another one each time.
    std::vector<index> sample(index step);

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
    const limits& by_;
    const vector_ops& ops_ = best_vector_ops();
    index samples_ = 0;
};

// Fails because the kernel value at (row, column) of the `which` matrix is not finite.
[[noreturn]] void fail_for_value(const char* which, double value, index row, index column);

// Fails, naming a kernel value that is not finite, because F = p - Kα of variable `row` is `value`; `support` are the
// variables with α ≠ 0.
[[noreturn]] void fail_for_gradient(const gram<float>& fast, const gram<double>& exact, index row, double value,
                                    std::span<const index> support);

}  // namespace mercer::smo
