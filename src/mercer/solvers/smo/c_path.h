// C-classification and ε-regression on a kernel matrix in memory, for an ascending sequence of C: the inner loop of a
// search over C.
//
//     min ½αᵀKα - pᵀα + ε Σ|α|    subject to   lᵢ·C·wᵢ <= αᵢ <= uᵢ·C·wᵢ,   Σα = 0,      for C₁ < C₂ < …
//
// Classification has p = y, ε = 0 and 0 <= yα; regression has p = y and -1 <= α/(Cw) <= 1, with one variable per
// example instead of two. Pairs are chosen among all examples, and F = p - Kα is kept in double for every example. A
// held-out example has p = 0 and α = 0, so that -F is its decision value without the offset: held-out examples are
// predicted at no further cost. Each C starts from the best multiple of the solution for the last C.
//
// A pair step costs two passes over F, and reads rows from memory. If the gap is still large after some of these steps
// (large C), the free examples and the most violating others form a working set with a matrix in the caches, in float;
// then F of all examples is updated, and so on. `solve_smo` is the better solver where kernel rows have to be computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer::smo {

// An n × n matrix of floats, with rows padded by zeros to whole vectors.
class padded_matrix {
public:
    explicit padded_matrix(index n);
    index size() const { return n_; }
    index stride() const { return values_.cols(); }
    matrix_view<float> view() { return values_.view().block(0, 0, n_, n_); }
    matrix_view<const float> view() const { return values_.view().block(0, 0, n_, n_); }
    const float* data() const { return values_.row(0); }
    const std::vector<float>& diagonal() const { return diagonal_; }  // padded by ones
    void finish();  // must be called once all values have been written

private:
    index n_;
    matrix<float> values_;
    std::vector<float> diagonal_;
};

// The solver of one binary problem, or one regression, for an ascending sequence of C. K is borrowed and must outlive
// this object.
class c_path {
public:
    // Classification. sign: +1 or -1 for a training example, 0 for a held-out one. weight: factors w of C, or empty.
    c_path(const padded_matrix& K, std::span<const double> sign, std::span<const double> weight = {});
    // ε-regression. y: one target per example. Example i is a training example if is_training[i] != 0, otherwise it is
    // held out. weight: factors w of C, or empty.
    c_path(const padded_matrix& K, std::span<const double> y, std::span<const std::uint8_t> is_training, double epsilon,
           std::span<const double> weight = {});
    c_path(const c_path&) = delete;  // contains pointers to its own members
    c_path& operator=(const c_path&) = delete;

    // Solves for C, which must not be less than the last C, until the gap is at most `tol` or after `max_steps` steps.
    void solve(double C, double tol, std::int64_t max_steps);

    double gap() const { return gap_; }
    std::int64_t steps() const { return steps_; }  // steps of the last call of solve()
    bool has_bounded_alpha() const;                // returns false if a larger C would not change the solution
    double offset() const { return offset_; }
    // f(xᵢ) = Σαⱼk(xᵢ, xⱼ) + b of a held-out example.
    double decision(index i) const { return offset_ - F_[i]; }
    double alpha(index i) const { return alpha_[static_cast<std::size_t>(i)]; }
    double objective() const;

private:
    void allocate(std::span<const double> weight);
    void scale_to(double C);
    void update_masks(std::size_t i);
    void set_bounds();
    void compute_gap();
    bool solve_all(double tol, std::int64_t max_steps);
    std::vector<index> choose_block() const;
    bool solve_block(double enough, std::int64_t max_steps);
    void compute_offset();

    const padded_matrix& K_;
    double epsilon_ = 0;
    std::vector<double> p_, low_side_, high_side_, weight_;  // low_side_ and high_side_ are l and u above; 0 and 0 for
                                                             // a held-out example
    std::vector<double> alpha_, lower_, upper_;
    matrix<double> F_up_low_;  // the rows F, up and low, aligned for vector instructions
    double *F_, *up_, *low_;
    double C_ = 0, gap_ = 0, offset_ = 0;
    std::int64_t steps_ = 0;
    // The matrix of a working set, and its F, up and low.
    matrix<float> block_, block_F_up_low_;
};

}  // namespace mercer::smo
