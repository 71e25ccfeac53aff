// For when pairs crawl (large C, tiny γ, nearly singular K): Newton's method on the free variables and those that want
// to leave their bounds.
//
// With all others fixed, these variables x solve  min ½xᵀKx - rᵀx, l <= x <= u, Σx = s in each group,  r = F + Kx.
// Three ways, in this order: a barrier over all points where K = ΦΦᵀ with few columns (planes, small polynomials,
// kernels that hardly vary over the data); a guess of who is at a bound (free_problem.cpp); a barrier over the free
// variables, or over all points where they are few (barrier.cpp). Unless the objective falls nothing is changed.
#pragma once

#include <memory>
#include <vector>

#include "mercer/solvers/smo/active_set.h"
#include "mercer/solvers/smo/free_problem.h"

namespace mercer::smo {

class newton {
public:
    // `room`: bytes for its matrices; kept rows make room where they must.
    newton(variables& v, gradient& F, active_set& active, std::size_t room, const smo_options& options, counters& done,
           const limits& by)
        : v_(v),
          F_(F),
          active_(active),
          room_(room),
          options_(options),
          done_(done),
          by_(by),
          patience_(by.first_patience) {}

    // Whether pairs have taken many steps for every active point, at no less work than this would be.
    bool due() const;
    // Whether it brought the objective down. When it is next due is counted from here.
    bool step();
    // For when there is nothing else to try; a few times.
    bool last_resort();
    // The step found again what was known before, or it did not.
    void was_vain(bool vain) { vain_ = vain ? vain_ + 1 : 0; }
    // Solved in double time and again, and float kernel values lead away every time: K is too large for them.
    bool exhausted() const { return steps_ > by_.most_newtons || vain_ > by_.most_vain_newtons; }

    // What blocks had done when it was last tried, in about so many cycles.
    double work_before() const { return work_before_; }

    // Φ with K = ΦΦᵀ, where there is one of few columns.
    bool find_features();
    // F = p - Φ(Φᵀα) of all points.
    void F_from_features();

private:
    enum class way { guess, barrier, thin };
    bool solve(bool last);
    bool solve_thin();
    bool solve(const std::vector<index>& free, way how);
    free_problem pose(const std::vector<index>& free) const;
    std::unique_ptr<quadratic> matrix_of(free_problem& q, const std::vector<index>& free, way how);
    bool move(const std::vector<index>& free, const free_problem& q, const quadratic& K,
              const std::vector<double>& before, std::vector<double>& delta);
    std::vector<index> free_or_leaving() const;
    std::vector<index> movable(index count) const;
    void find_low_rank();
    double work_needed() const;

    variables& v_;
    gradient& F_;
    active_set& active_;
    const std::size_t room_;
    const smo_options& options_;
    counters& done_;
    const limits& by_;
    const vector_ops& ops_ = best_vector_ops();
    std::int64_t steps_at_last_ = 0;  // when it was last tried
    std::int64_t patience_;
    double work_before_ = 0;
    int steps_ = 0, last_tries_ = 0;
    int vain_ = 0;  // one after the other that solved it, and brought the objective down by nothing but rounding
    bool asked_features_ = false, asked_low_rank_ = false;
    matrix<double> features_;  // of all points, by their numbers
};

}  // namespace mercer::smo
