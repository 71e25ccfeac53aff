// The loop behind solve_smo, over its parts:
//   variables      α, F, bounds, in the order of positions       gradient       F kept up to date, and exact
//   active_set     shrinking, levels                             working_block  pairs solved among the worst violators
//   certificate    the gap in double                             newton         for when pairs crawl
//   watch          limits, progress, checkpoints
//
//     a rough solution of a sample, then of larger ones
//     until the gap of all points, in double, is at most tol:
//         solve a working block, update F of the active points
//         set aside points that stay at their bounds
//         where pairs crawl, Newton's method
//         where the active points are solved as finely as was asked: bring back those set aside that could decide the
//         gap, ask for a finer one, and at the end for the certificate
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

// What is true in double, whatever floats said: the gap, the best α there was, hard margins without a solution.

class certificate {
public:
    certificate(variables& v, gradient& F, active_set& active, const smo_options& options, const limits& by)
        : v_(v), F_(F), active_(active), options_(options), by_(by) {}

    // Whether the gap, in double, is at most tol. Replaces F by exact values where they matter.
    bool holds();
    // Whether F of this position was made exact by that.
    bool is_exact(index i) const { return exact_[static_cast<std::size_t>(i)] != 0; }
    // How far F was off before that.
    double error_seen() const { return error_seen_; }

    // Keeps α if it is the best so far.
    bool remember();
    // The best α there was, and its F.
    void restore();
    double least_objective() const { return least_; }
    // Whether float kernel values lead nowhere any more: time and again they promised an end that the exact ones
    // denied, and the objective has not fallen since. Then the best α there was takes its place again.
    bool leads_no_nearer();
    // Something else was tried: count from here.
    void start_again() { denied_ = 0; }

    // Whether a hard margin is beyond what double can tell from none.
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
    int denied_ = 0;  // ends that turned out to be none since the objective last fell
    double least_ = 0, gap_of_best_ = 0;
    std::vector<double> best_alpha_;  // in the order of the points
};

// Limits of a run, its progress and checkpoints.

class watch {
public:
    watch(const variables& v, const counters& done, const smo_options& options, const gram<float>& K)
        : v_(v), done_(done), options_(options), K_(K) {}

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    // Why the run has to end now, if it has. `settled`: no look at the points set aside is due at its end. Reports
    // progress and writes checkpoints.
    std::optional<fit_status> interruption(bool settled);
    // Whether a look at so many points would still be under way at the end of the time: then it is better taken as the
    // last one, which knows when to stop.
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
    // fast and exact give K - common.
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
    // The gap is down at the rounding of F, and does not fall any more: pairs would go on moving last bits.
    bool lost_in_rounding();
    // Negative curvature was met: what was reached need not be the minimum, unless K is proven to have none and
    // rounding made it.
    fit_status success() const {
        return done_.concave_steps > 0 && !F_.fast().positive() ? fit_status::stationary : fit_status::converged;
    }
    // Without bounds, and no α was better than none: whatever there is to find is beyond what double can tell from
    // nothing.
    fit_status failure() const {
        return !options_.bounded && certificate_.least_objective() >= 0 ? fit_status::unbounded : fit_status::stalled;
    }

    // A kernel value that is NaN or infinite makes F so, and the gap would not show it: fails then.
    void require_finite_F() const;
    smo_result result();
    void look_at_those_aside_at_the_end();
    void put_at_bounds();
    void exact_objective();

    const smo_options& options_;
    const limits by_ = limits_in_force();
    counters done_;
    variables v_;
    const std::size_t room_;  // bytes for kept rows, or for Newton's matrices
    gradient F_;
    active_set active_;
    working_block block_;
    certificate certificate_;
    newton newton_;
    watch watch_;

    const double target_;  // of the gap: what is left of tol covers the float error, as a rule
    double rough_;         // the gap to reach before all points are looked at again
    const bool from_scratch_;
    bool at_rest_ = false;  // the last block changed nothing
    int rests_ = 0;
    double least_gap_ = infinity;
    std::int64_t rounds_at_least_ = 0;  // when the gap was last halved
    std::int64_t rounds_at_look_ = -1;  // when all points were last looked at
    fit_status status_ = fit_status::converged;
    double objective_ = 0;
};

}  // namespace mercer::smo
