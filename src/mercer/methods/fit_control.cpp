#include "mercer/methods/fit_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

bool has_few_examples(index n, std::span<const double> sample_weight) {
    constexpr index few = 1000;
    return (sample_weight.empty() ? n : n - std::ranges::count(sample_weight, 0.0)) <= few;
}

fit_monitor::fit_monitor(const fit_control& control) : control_(control), started_(seconds_now()) {}

progress_callback fit_monitor::callback() {
    if (!control_.progress && std::isinf(control_.seconds)) return {};
    return [this](fit_progress now) {
        now.seconds = seconds_now() - started_;
        late_ = now.seconds > control_.seconds;
        return !late_ && (!control_.progress || control_.progress(now));
    };
}

void report(const progress_callback& progress, const fit_progress& now, const std::string& owner) {
    if (progress && !progress(now))
        fail(errc::cancelled, fmt::format("{}: stopped by the caller before there was a model", owner));
}

}  // namespace mercer
