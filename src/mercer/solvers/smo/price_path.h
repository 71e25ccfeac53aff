// C-classification on a matrix that lies in memory, for one price C after another: what a search over C asks for.
//
//     min ½αᵀKα - yᵀα    subject to   0 <= yᵢαᵢ <= C·wᵢ,   Σα = 0,      for C₁ < C₂ < …
//
// Pairs are chosen among all examples, and F = y - Kα of every object is kept in double: an object without a sign takes
// no part, and its F is minus its decision, so that those held out are decided by the way. A larger C starts from the
// best multiple of the solution before. Nothing is copied or allocated on the way, and a step costs two passes over
// F; `solve_smo` is the better solver wherever rows have to be computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/matrix.h"

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
    // sign: +1 and -1, or 0 for objects that take no part; weight: empty, or a factor of C for each.
    price_path(const padded_matrix& K, std::span<const double> sign, std::span<const double> weight = {});

    // Goes on to a price not below the last, till the gap is at most tol or so many steps were made.
    void solve(double C, double tol, std::int64_t most_steps);

    double gap() const { return gap_; }
    std::int64_t steps() const { return steps_; }  // of the last solve
    bool at_a_bound() const;                       // else a larger C changes nothing
    double offset() const { return offset_; }
    // f = Σαⱼk(x, xⱼ) + b of an object without a sign.
    double decision(index i) const { return offset_ - F_[i]; }
    double alpha(index i) const { return alpha_[static_cast<std::size_t>(i)]; }
    double objective() const;

private:
    void grow(double C);
    void set_bounds();
    void find_offset();

    price_path(const price_path&) = delete;  // points into itself
    price_path& operator=(const price_path&) = delete;

    const padded_matrix& K_;
    std::vector<double> sign_, weight_;
    std::vector<double> alpha_, lower_, upper_;
    matrix<double> three_;  // rows F, up and low, aligned as the vector code wants them
    double *F_, *up_, *low_;
    double C_ = 0, gap_ = 0, offset_ = 0;
    std::int64_t steps_ = 0;
};

}  // namespace mercer::smo
