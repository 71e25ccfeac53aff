// Limits of a run, its progress and checkpoints.
#pragma once

#include <chrono>
#include <limits>
#include <optional>

#include "mercer/solvers/smo/variables.h"

namespace mercer::smo {

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

}  // namespace mercer::smo
