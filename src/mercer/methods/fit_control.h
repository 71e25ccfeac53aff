// How a fit is run: what it may use, whom it reports to and how it ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/fit_checkpoint.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

struct fit_progress {
    const char* phase = "";
    index done = 0;
    index total = 0;   // 0: not known
    double value = 0;  // the objective, the residual or the gap
    // Of the whole fit. Only support vector machines guess what is left.
    double seconds = 0, seconds_left = std::numeric_limits<double>::infinity();
    // Of a support vector machine: which of its binary problems, and how far that one is.
    index problem = 0, problems = 1;
    std::int64_t steps = 0, rounds = 0;
    index active = 0, size = 0;
};
using progress_callback = std::function<bool(const fit_progress&)>;  // false: stop and keep what there is

// Where several processes share a fit: who factors matrices of M centres, each of them, or all together, to other last
// bits. `automatic`: together from 10,000 centres on, where they can.
enum class factor_choice { automatic, alone, together };

// How a fit is run, whatever the method.
struct fit_control {
    std::size_t memory_bytes = 0;  // for kernel values that are kept; 0: the default of the method
    std::size_t most_bytes = 0;    // for everything beside the data; 0: no limit
    double seconds = std::numeric_limits<double>::infinity();  // then it ends with the best it has
    int threads = 0;                                           // 0: all there are
    // Small fits sort their examples first, where the method depends on their order: the answer is then the same in
    // whatever order they come.
    bool any_order = false;
    progress_callback progress{};
    fit_checkpoint checkpoint{};  // for methods that have one; others fail
    factor_choice factors = factor_choice::automatic;
};
// Are so few examples there that sorting them does not show in the time? Those without weight are not there.
bool few_examples(index n, std::span<const double> sample_weight);

// Asks the caller and the clock whether a fit should go on, and knows afterwards which of them said no.
class fit_watch {
public:
    explicit fit_watch(const fit_control& control);
    fit_watch(const fit_watch&) = delete;
    fit_watch& operator=(const fit_watch&) = delete;
    progress_callback callback();  // empty where nobody has to be asked
    // How a fit ended: one that the clock stopped was not cancelled.
    fit_status ended(fit_status status) const {
        return status == fit_status::cancelled && late_ ? fit_status::time_limit : status;
    }

private:
    const fit_control& control_;
    double started_;
    std::atomic<bool> late_ = false;  // fits may ask from any thread
};

// For fits that have nothing to keep before their end: fails with errc::cancelled where the callback says stop.
void report(const progress_callback& progress, const fit_progress& now, const std::string& owner);

}  // namespace mercer
