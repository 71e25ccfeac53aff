// Newton's method for problems on which pairs converge slowly (large C, tiny γ, nearly singular K): it optimises the
// free variables and the variables that violate optimality at their bounds together.
//
// With all others fixed, these variables x solve  min ½xᵀKx - rᵀx, l <= x <= u, Σx = s in each group,  r = F + Kx.
// Three methods are tried in this order: a barrier method on all variables where K = ΦΦᵀ with few columns (linear
// kernels, polynomials of low degree, kernels that hardly vary over the data); an active-set method (guess_bounds); a
// barrier method on the variables x, or on all active variables if they are few (barrier). α changes only if the
// objective decreases.
#pragma once

#include <memory>
#include <vector>

#include "mercer/solvers/smo/active_set.h"
#include "mercer/solvers/smo/free_problem.h"

namespace mercer::smo {

class newton {
public:
    // `room`: size in bytes of the matrices. The rows of the row cache are released if both do not fit.
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

    // Returns true if pairs have taken many steps per active variable and at least the cycles that Newton's method
    // would take.
    bool due() const;
    // Takes a step; returns true if the objective decreased. due() counts from here.
    bool step();
    // Takes a step after all else has failed, at most limits::most_last_tries times.
    bool last_resort();
    // Records whether the last step reached no better α than was known.
    void was_vain(bool vain) { vain_ = vain ? vain_ + 1 : 0; }
    // Returns true after limits::most_newtons steps or most_vain_newtons vain steps: float kernel values are
    // inaccurate. Newton's method solves the problem in double, and updates of F in float lead away from the solution
    // each time.
    bool exhausted() const { return steps_ > by_.most_newtons || vain_ > by_.most_vain_newtons; }

    // Estimated cycles of the working sets before the last step.
    double work_before() const { return work_before_; }

    // Returns true if K = ΦΦᵀ with at most limits::most_features columns is known exactly; computes Φ at the first
    // call.
    bool find_features();
    // Sets F = p - Φ(Φᵀα) for all variables.
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
    std::int64_t steps_at_last_ = 0;  // pair steps at the last step of Newton's method
    std::int64_t patience_;           // pair steps per active variable until the next one
    double work_before_ = 0;
    int steps_ = 0, last_tries_ = 0;
    int vain_ = 0;  // consecutive steps that reached no better α than was known, up to rounding
    bool asked_features_ = false, asked_low_rank_ = false;
    matrix<double> features_;  // Φ: a row for each variable, in the order of the problem
};

}  // namespace mercer::smo
