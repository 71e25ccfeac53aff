#include "mercer/solvers/smo/watch.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/threads.h"

namespace mercer::smo {

// What the end of the run will take, about, for the points set aside: its gap is that of all points, and the time is to
// suffice for it. Where a bound on the gap can take the place of a look, it may have the last tenth.
double watch::seconds_of_last_look(double now, bool settled) {
    if (!std::isfinite(options_.most_seconds) || settled) return 0;
    if (now - last_estimate_ < 0.02 * options_.most_seconds) return look_seconds_;
    last_estimate_ = now;
    look_seconds_ = seconds_to_look_at(v_.n - v_.active);
    if (K_.positive()) look_seconds_ = std::min(look_seconds_, 0.1 * options_.most_seconds);
    return look_seconds_;
}

double watch::seconds_to_look_at(index points) const {
    constexpr double cycles_in_a_second =
        1.6e9;  // half of what processors do: measured, a look takes about twice its cycles
    return static_cast<double>(points) * static_cast<double>(v_.support_size()) * K_.element_cost() /
           (cycles_in_a_second * threads());
}

bool watch::too_late_for(index points) const {
    return std::isfinite(options_.most_seconds) && seconds() + seconds_to_look_at(points) >= options_.most_seconds;
}

std::optional<fit_status> watch::interruption(bool settled) {
    if (done_.steps >= options_.most_steps) return fit_status::step_limit;
    const double now = seconds();
    if (now >= options_.most_seconds || now + seconds_of_last_look(now, settled) >= options_.most_seconds)
        return fit_status::time_limit;
    if (options_.checkpoint && now - last_checkpoint_ >= options_.checkpoint_seconds) {
        last_checkpoint_ = now;
        options_.checkpoint(v_.original_order(v_.alpha));
    }
    if (options_.progress && now - last_report_ >= 0.1) {
        last_report_ = now;
        if (!options_.progress(progress(now))) return fit_status::cancelled;
    }
    return {};
}

smo_progress watch::progress(double now) {
    smo_progress report{done_.steps, done_.rounds, v_.gap, v_.active, v_.n, 0, now, infinity};
    const double asked = static_cast<double>(done_.rows_computed + done_.rows_reused);
    if (asked > 0) report.cache_hits = static_cast<double>(done_.rows_reused) / asked;
    // The gap falls about geometrically in time: what is left is in proportion to the orders of magnitude left.
    if (first_gap_ <= 0) first_gap_ = v_.gap;
    const double fallen = std::log(first_gap_ / v_.gap), to_fall = std::log(v_.gap / options_.tol);
    if (fallen > 0) report.seconds_left = std::max(0.0, now * to_fall / fallen);
    return report;
}

}  // namespace mercer::smo
