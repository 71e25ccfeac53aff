// The outer loop of solve_smo and the parts that only the loop uses:
//   variables      α, F and the bounds, active variables first     gradient       F kept up to date, and exact F
//   active_set     shrinking, samples of increasing size           working_set  pairs optimised in a working set
//   certificate    the gap in double                               newton         for slow convergence of pairs
//   run_monitor        limits, progress, checkpoints
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
    certificate(variables& v, gradient& F, active_set& active, const smo_options& options,
                const smo_thresholds& thresholds)
        : v_(v), F_(F), active_(active), options_(options), thresholds_(thresholds) {}

    // Returns true if the gap is at most tol in double. Replaces F by exact values for a sample of the variables and
    // for those that could decide the gap.
    bool holds();
    // Returns true if the last holds() made F of position i exact.
    bool is_exact(index i) const { return exact_[static_cast<std::size_t>(i)] != 0; }
    // The largest error of F that the last holds() has found.
    double error_seen() const { return error_seen_; }

    // Stores α if it is the best so far: of lower objective or, at the same objective, of smaller gap. Returns true if
    // the objective is lower.
    bool update_best();
    // Replaces α by the best α so far, and F by its values in float.
    void restore_best();
    double min_objective() const { return min_objective_; }
    // To be called when holds() was false. Returns true if float kernel values lead no further: more than
    // smo_thresholds::max_refuted gaps were refuted by double values since the objective last decreased. α is then the
    // best so far.
    bool float_stalled();
    // Resets the count of refuted gaps, because another method has changed α.
    void reset_refuted() { refuted_ = 0; }

    // Returns true if a hard margin would be so small that double cannot distinguish it from no margin.
    bool margin_below_precision();

private:
    std::vector<index> choose_initial_sample();
    bool proves_large_norm() const;

    variables& v_;
    gradient& F_;
    active_set& active_;
    const smo_options& options_;
    const smo_thresholds& thresholds_;
    std::vector<std::uint8_t> exact_;
    double error_seen_ = 0;
    int refuted_ = 0;  // gaps refuted by double values since the objective last decreased
    double min_objective_ = 0, best_gap_ = 0;
    std::vector<double> best_alpha_;  // in the order of the problem
};

// The limits of a run, its progress and its checkpoints.
class run_monitor {
public:
    run_monitor(const variables& v, const counters& done, const smo_options& options, const gram<float>& K)
        : v_(v), done_(done), options_(options), K_(K) {}

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    // The reason to end the run now, if there is one. Reports progress and writes checkpoints. `settled`: the end of
    // the run needs no reconstruction of F of the shrunk variables.
    std::optional<fit_status> stop_reason(bool settled);
    // Returns true if reconstructing F of `points` variables would exceed the time limit. The run then ends with its
    // last reconstruction, which observes the limit.
    bool exceeds_time_limit(index points) const;

private:
    double final_reconstruction_seconds(double now, bool settled);
    double estimate_reconstruction_seconds(index points) const;
    smo_progress progress(double now);

    const variables& v_;
    const counters& done_;
    const smo_options& options_;
    const gram<float>& K_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    double last_report_ = 0, last_checkpoint_ = 0, first_gap_ = 0;
    double last_estimate_ = -std::numeric_limits<double>::infinity(), reconstruction_seconds_ = 0;
};

class smo_solver {
public:
    // `fast` and `exact` are the matrix K - kernel_offset.
    smo_solver(const gram<float>& fast, const gram<double>& exact, const box_problem& problem,
               const smo_options& options, double kernel_offset = 0);
    smo_result run();

private:
    enum class next_action { work, measure_again, end };
    next_action after_target_gap();
    next_action enlarge_sample();
    next_action reconstruct_gradient();
    next_action check_certificate();
    next_action take_newton_step();
    next_action finish(fit_status status);
    bool gap_is_rounding_error();
    // After steps of negative curvature α need not be a minimum. Where K is proven to be positive semidefinite, such
    // steps come from rounding and do not matter.
    fit_status success_status() const {
        return done_.concave_steps > 0 && !F_.fast().is_psd() ? fit_status::stationary : fit_status::converged;
    }
    // Without bounds, if no α had a lower objective than α = 0, the problem is unbounded as far as double can tell.
    fit_status failure_status() const {
        return !options_.bounded && certificate_.min_objective() >= 0 ? fit_status::unbounded : fit_status::stalled;
    }

    // Fails if F is not finite. A kernel value that is NaN or infinite makes F so, and the gap would not show it.
    void require_finite_F() const;
    smo_result result();
    void final_gradient_reconstruction();
    void snap_to_bounds();
    void compute_exact_objective();

    const smo_options& options_;
    const smo_thresholds thresholds_ = default_thresholds();
    counters done_;
    variables v_;
    const std::size_t memory_bytes_;  // bytes for kept rows or for Newton's matrices
    gradient F_;
    active_set active_;
    working_set working_set_;
    certificate certificate_;
    newton_step newton_;
    run_monitor monitor_;

    const double target_;  // of the gap: 0.98·tol; the remainder covers the float error of F
    double current_tol_;   // target gap of the active variables until the next reconstruction of F
    const bool from_scratch_;
    bool no_progress_ = false;  // the last working set changed nothing
    int stalls_ = 0;
    double min_gap_ = infinity;
    std::int64_t rounds_at_min_gap_ = 0;          // number of working sets when the gap was last halved
    std::int64_t rounds_at_reconstruction_ = -1;  // number of working sets at the last reconstruction of F
    fit_status status_ = fit_status::converged;
    double objective_ = 0;
};

}  // namespace mercer::smo
