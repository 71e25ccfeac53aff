// Newton's method for problems on which pairs converge slowly (large C, tiny γ, nearly singular K): it optimises the
// free variables and the variables that violate optimality at their bounds together.
//
// With all others fixed, these variables x solve  min ½xᵀKx - rᵀx, l <= x <= u, Σx = s in each group,  r = F + Kx.
// Three methods are tried in this order: a barrier method on all variables where K = ΦΦᵀ with few columns (linear
// kernels, polynomials of low degree, kernels that hardly vary over the data); an active-set method (solve_active_set);
// a barrier method on the variables x, or on all active variables if they are few (barrier). α changes only if the
// objective decreases.
#pragma once

#include <memory>
#include <vector>

#include "mercer/solvers/smo/active_set.h"
#include "mercer/solvers/smo/free_problem.h"

namespace mercer::smo {

class newton_step {
public:
    // `bytes`: size in bytes of the matrices. The rows of the row cache are released if both do not fit.
    newton_step(variables& v, gradient& F, active_set& active, std::size_t bytes, const smo_options& options,
                counters& done, const smo_thresholds& thresholds)
        : v_(v),
          F_(F),
          active_(active),
          memory_bytes_(bytes),
          options_(options),
          done_(done),
          thresholds_(thresholds),
          min_pair_steps_(thresholds.min_pair_steps) {}

    // Returns true if a Newton step is worth its cost: since the last one, the solver has made many pair steps per
    // active variable, and these pair steps took at least as many processor cycles as a Newton step would take.
    bool is_due() const;
    // Takes a step; returns true if the objective decreased. is_due() counts from here.
    bool take();
    // Takes a step after all else has failed, at most smo_thresholds::max_last_resorts times.
    bool take_last_resort();
    // Records whether the last step reached no better α than was known.
    void record_outcome(bool vain) { vain_steps_ = vain ? vain_steps_ + 1 : 0; }
    // Returns true after smo_thresholds::max_newton_steps steps or max_vain_newton_steps vain steps: float kernel
    // values are inaccurate. Newton's method solves the problem in double, and updates of F in float lead away from the
    // solution each time.
    bool is_exhausted() const {
        return steps_ > thresholds_.max_newton_steps || vain_steps_ > thresholds_.max_vain_newton_steps;
    }

    // Estimated cycles of the working sets before the last step.
    double work_before() const { return work_before_; }

    // Returns true if K = ΦΦᵀ with at most smo_thresholds::max_features columns is known exactly; computes Φ at the
    // first call.
    bool find_features();
    // Sets F = p - Φ(Φᵀα) for all variables.
    void set_F_from_features();

private:
    enum class step_method { active_set, barrier, low_rank };
    bool solve(bool last);
    bool solve_low_rank();
    bool solve(const std::vector<index>& free, step_method how);
    free_problem make_problem(const std::vector<index>& free) const;
    std::unique_ptr<quadratic_form> make_matrix(free_problem& q, const std::vector<index>& free, step_method how);
    bool apply_step(const std::vector<index>& free, const free_problem& q, const quadratic_form& K,
                    const std::vector<double>& before, std::vector<double>& delta);
    std::vector<index> free_or_violating() const;
    std::vector<index> not_fixed(index count) const;
    void find_low_rank();
    double estimate_cycles() const;

    variables& v_;
    gradient& F_;
    active_set& active_;
    const std::size_t memory_bytes_;
    const smo_options& options_;
    counters& done_;
    const smo_thresholds& thresholds_;
    const vector_ops& ops_ = best_vector_ops();
    std::int64_t pair_steps_at_last_ = 0;  // pair steps at the last step of Newton's method
    std::int64_t min_pair_steps_;          // pair steps per active variable until the next one
    double work_before_ = 0;
    int steps_ = 0, last_resorts_ = 0;
    int vain_steps_ = 0;  // consecutive steps that reached no better α than was known, up to rounding
    bool features_tried_ = false, low_rank_tried_ = false;
    matrix<double> features_;  // Φ: a row for each variable, in the order of the problem
};

}  // namespace mercer::smo
