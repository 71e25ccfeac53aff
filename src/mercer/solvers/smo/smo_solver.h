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

#include "mercer/solvers/smo/active_set.h"
#include "mercer/solvers/smo/certificate.h"
#include "mercer/solvers/smo/newton_step.h"
#include "mercer/solvers/smo/watch.h"
#include "mercer/solvers/smo/working_set.h"

namespace mercer::smo {

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
