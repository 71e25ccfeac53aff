// C-classification and ε-regression on a matrix that lies in memory, for one price C after another: what a search over
// C asks for.
//
//     min ½αᵀKα - pᵀα + ε Σ|α|    subject to   lᵢ·C·wᵢ <= αᵢ <= uᵢ·C·wᵢ,   Σα = 0,      for C₁ < C₂ < …
//
// p = y, ε = 0 and 0 <= yα for classification; p = y and -1 <= α/C <= 1 for regression, which so needs one variable for
// each example and not two. Pairs are chosen among all examples, and F = p - Kα of every object is kept in double: an
// object that takes no part has p = 0, and its F is minus its decision, so that those held out are decided by the way.
// A larger C starts from the best multiple of the solution before.
//
// A step costs two passes over F, and rows that come from memory. Where that has not led to the end soon (large C), the
// free examples and the worst of the others become a block whose matrix lies in the caches, in float; F of all is
// brought up to date with those that moved, and so again. `solve_smo` is the better solver wherever rows have to be
// computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer::smo {

// n × n floats with rows filled up by zeros to whole vectors.
class padded_matrix {
public:
    explicit padded_matrix(index n);
    index size() const { return n_; }
    index stride() const { return values_.cols(); }
    matrix_view<float> view() { return values_.view().block(0, 0, n_, n_); }
    matrix_view<const float> view() const { return values_.view().block(0, 0, n_, n_); }
    const float* data() const { return values_.row(0); }
    const std::vector<float>& diagonal() const { return diagonal_; }  // padded too
    void filled();                                                    // to be called when all values are there

private:
    index n_;
    matrix<float> values_;
    std::vector<float> diagonal_;
};

class price_path {
public:
    // Classification. sign: +1 and -1, or 0 for objects that take no part; weight: empty, or a factor of C for each.
    price_path(const padded_matrix& K, std::span<const double> sign, std::span<const double> weight = {});
    // Regression within ε of y, of those who take part.
    price_path(const padded_matrix& K, std::span<const double> y, std::span<const std::uint8_t> takes_part,
               double epsilon, std::span<const double> weight = {});
    price_path(const price_path&) = delete;  // points into itself
    price_path& operator=(const price_path&) = delete;

    // Goes on to a price not below the last, till the gap is at most tol or so many steps were made.
    void solve(double C, double tol, std::int64_t most_steps);

    double gap() const { return gap_; }
    std::int64_t steps() const { return steps_; }  // of the last solve
    bool at_a_bound() const;                       // else a larger C changes nothing
    double offset() const { return offset_; }
    // f = Σαⱼk(x, xⱼ) + b of an object that takes no part.
    double decision(index i) const { return offset_ - F_[i]; }
    double alpha(index i) const { return alpha_[static_cast<std::size_t>(i)]; }
    double objective() const;

private:
    void allocate(std::span<const double> weight);
    void grow(double C);
    void place(std::size_t i);
    void set_bounds();
    void measure();
    bool solve_all(double tol, std::int64_t most_steps);
    std::vector<index> choose_block() const;
    bool solve_block(double enough, std::int64_t most_steps);
    void find_offset();

    const padded_matrix& K_;
    double epsilon_ = 0;
    std::vector<double> p_, low_side_, high_side_, weight_;  // 0 and 0: takes no part
    std::vector<double> alpha_, lower_, upper_;
    matrix<double> three_;  // rows F, up and low, aligned as the vector code wants them
    double *F_, *up_, *low_;
    double C_ = 0, gap_ = 0, offset_ = 0;
    std::int64_t steps_ = 0;
    // Of a block: its matrix and its own F, up and low.
    matrix<float> block_, block_three_;
};

}  // namespace mercer::smo
