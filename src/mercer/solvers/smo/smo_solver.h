// The outer loop of solve_smo and the parts that only the loop uses:
//   variables      α, F and the bounds, active variables first     gradient       F kept up to date, and exact F
//   active_set     shrinking, samples of increasing size           working_block  pairs optimised in a working set
//   certificate    the gap in double                               newton         for slow convergence of pairs
//   watch          limits, progress, checkpoints
//
//     solve a sample of the variables roughly, then larger samples
//     until the gap of all variables, in double, is at most tol:
//         solve a working set and update F of the active variables
//         shrink variables that are likely to stay at their bounds
//         if pairs converge slowly, take a step of Newton's method
//         if the gap of the active variables has reached the target gap: reconstruct F of the shrunk variables that
//         could decide the gap, lower the target gap, and at the end ask for the certificate
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "mercer/solvers/smo/active_set.h"
#include "mercer/solvers/smo/gradient.h"
#include "mercer/solvers/smo/newton_step.h"
#include "mercer/solvers/smo/working_set.h"

namespace mercer::smo {

// Statements that are verified with double kernel values: the gap, the best α so far, and that a hard margin has no
// solution.
class certificate {
public:
    certificate(variables& v, gradient& F, active_set& active, const smo_options& options, const limits& by)
        : v_(v), F_(F), active_(active), options_(options), by_(by) {}

    // Returns true if the gap is at most tol in double. Replaces F by exact values for a sample of the variables and
    // for those that could decide the gap.
    bool holds();
    // Returns true if the last holds() made F of position i exact.
    bool is_exact(index i) const { return exact_[static_cast<std::size_t>(i)] != 0; }
    // The largest error of F that the last holds() has found.
    double error_seen() const { return error_seen_; }

    // Stores α if it is the best so far: of lower objective or, at the same objective, of smaller gap. Returns true if
    // the objective is lower.
    bool remember();
    // Replaces α by the best α so far, and F by its values in float.
    void restore();
    double least_objective() const { return least_; }
    // To be called when holds() was false. Returns true if float kernel values lead no further: more than
    // limits::most_denied gaps were refuted by double values since the objective last decreased. α is then the best so
    // far.
    bool leads_no_nearer();
    // Resets the count of refuted gaps, because another method has changed α.
    void start_again() { denied_ = 0; }

    // Returns true if a hard margin would be so small that double cannot distinguish it from no margin.
    bool hopeless();

private:
    std::vector<index> first_looked_at();
    bool needs_too_much() const;

    variables& v_;
    gradient& F_;
    active_set& active_;
    const smo_options& options_;
    const limits& by_;
    std::vector<std::uint8_t> exact_;
    double error_seen_ = 0;
    int denied_ = 0;  // gaps refuted by double values since the objective last decreased
    double least_ = 0, gap_of_best_ = 0;
    std::vector<double> best_alpha_;  // in the order of the problem
};

// The limits of a run, its progress and its checkpoints.
class watch {
public:
    watch(const variables& v, const counters& done, const smo_options& options, const gram<float>& K)
        : v_(v), done_(done), options_(options), K_(K) {}

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    // The reason to end the run now, if there is one. Reports progress and writes checkpoints. `settled`: the end of
    // the run needs no reconstruction of F of the shrunk variables.
    std::optional<fit_status> interruption(bool settled);
    // Returns true if reconstructing F of `points` variables would exceed the time limit. The run then ends with its
    // last reconstruction, which observes the limit.
    bool too_late_for(index points) const;

private:
    double seconds_of_last_look(double now, bool settled);
    double seconds_to_look_at(index points) const;
    smo_progress progress(double now);

    const variables& v_;
    const counters& done_;
    const smo_options& options_;
    const gram<float>& K_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    double last_report_ = 0, last_checkpoint_ = 0, first_gap_ = 0;
    double last_estimate_ = -std::numeric_limits<double>::infinity(), look_seconds_ = 0;
};

class solver {
public:
    // `fast` and `exact` are the matrix K - common.
    solver(const gram<float>& fast, const gram<double>& exact, const box_problem& problem, const smo_options& options,
           double common = 0);
    smo_result run();

private:
    enum class next { work, measure_again, end };
    next solved_so_far();
    next finer_level();
    next look_at_those_aside();
    next ask_certificate();
    next accelerate();
    next end(fit_status status);
    bool lost_in_rounding();
    // After steps of negative curvature α need not be a minimum. Where K is proven to be positive semidefinite, such
    // steps come from rounding and do not matter.
    fit_status success() const {
        return done_.concave_steps > 0 && !F_.fast().positive() ? fit_status::stationary : fit_status::converged;
    }
    // Without bounds, if no α had a lower objective than α = 0, the problem is unbounded as far as double can tell.
    fit_status failure() const {
        return !options_.bounded && certificate_.least_objective() >= 0 ? fit_status::unbounded : fit_status::stalled;
    }

    // Fails if F is not finite. A kernel value that is NaN or infinite makes F so, and the gap would not show it.
    void require_finite_F() const;
    smo_result result();
    void look_at_those_aside_at_the_end();
    void put_at_bounds();
    void exact_objective();

    const smo_options& options_;
    const limits by_ = limits_in_force();
    counters done_;
    variables v_;
    const std::size_t room_;  // bytes for kept rows or for Newton's matrices
    gradient F_;
    active_set active_;
    working_block block_;
    certificate certificate_;
    newton newton_;
    watch watch_;

    const double target_;  // of the gap: 0.98·tol; the remainder covers the float error of F
    double rough_;         // target gap of the active variables until the next reconstruction of F
    const bool from_scratch_;
    bool at_rest_ = false;  // the last working set changed nothing
    int rests_ = 0;
    double least_gap_ = infinity;
    std::int64_t rounds_at_least_ = 0;  // number of working sets when the gap was last halved
    std::int64_t rounds_at_look_ = -1;  // number of working sets at the last reconstruction of F
    fit_status status_ = fit_status::converged;
    double objective_ = 0;
};

}  // namespace mercer::smo
