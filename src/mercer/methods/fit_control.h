// Settings of a fit that do not change its mathematics: limits of memory, time and threads, progress, checkpoint and
// cancellation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"
#include "mercer/methods/checkpoint.h"

namespace mercer {

// The state of a running fit, as passed to a progress callback.
struct fit_progress {
    const char* phase = "";
    index done = 0;
    index total = 0;   // 0: unknown
    double value = 0;  // the objective, the residual or the duality gap
    // Seconds since the fit began, and the estimated seconds until its end, which only support vector machines
    // estimate.
    double seconds = 0, seconds_left = std::numeric_limits<double>::infinity();
    // Support vector machines only: number of the binary problem, number of problems, and for this problem the pair
    // steps, the working sets, the active variables and all variables (smo_progress).
    index problem = 0, problems = 1;
    std::int64_t steps = 0, rounds = 0;
    index active = 0, size = 0;
};
// Called during a fit. If it returns false, the fit ends with its current result, or throws errc::cancelled if there is
// no result yet.
using progress_callback = std::function<bool(const fit_progress&)>;

// MPI: each rank factors the M × M matrices of M centres (local), or all ranks together with ScaLAPACK (distributed);
// rounding may differ. `automatic`: distributed for M >= 10,000 if ScaLAPACK is available.
enum class factor_choice { automatic, local, distributed };

// The control of a fit, for all methods.
struct fit_control {
    std::size_t memory_bytes = 0;                              // for stored kernel values; 0: default of the method
    std::size_t max_bytes = 0;                                 // limit of the memory beside the data; 0: no limit
    double seconds = std::numeric_limits<double>::infinity();  // time limit; the fit then ends with its best result
    int threads = 0;                                           // 0: one per processor
    // If true, small fits of methods whose result depends on the order of the examples sort them first, so that the
    // result is the same for any order.
    bool canonical_order = false;
    progress_callback progress{};
    fit_checkpoint checkpoint{};  // methods without checkpoints fail if it has a path
    factor_choice factors = factor_choice::automatic;
};
// Returns true if at most 1000 examples have positive weight, so that sorting them takes negligible time.
bool has_few_examples(index n, std::span<const double> sample_weight);

// Checks the caller's progress callback and the time limit during a fit, and records which of them stopped it. The
// control must outlive it.
class fit_monitor {
public:
    explicit fit_monitor(const fit_control& control);
    fit_monitor(const fit_monitor&) = delete;
    fit_monitor& operator=(const fit_monitor&) = delete;
    progress_callback callback();  // empty if there is neither a callback nor a time limit
    // The status of a fit: `cancelled` becomes `time_limit` if the time limit stopped the fit.
    fit_status final_status(fit_status status) const {
        return status == fit_status::cancelled && late_ ? fit_status::time_limit : status;
    }

private:
    const fit_control& control_;
    double started_;
    std::atomic<bool> late_ = false;  // atomic, because fits may call back from any thread
};

// Calls the callback, if there is one, in a fit without intermediate results: throws errc::cancelled if the callback
// returns false. The message begins with `owner`.
void report(const progress_callback& progress, const fit_progress& now, const std::string& owner);

}  // namespace mercer
