#include "mercer/base/fit_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "mercer/base/error.h"

namespace mercer {
namespace {

constexpr const char* names[] = {"converged", "stationary", "step_limit", "time_limit",
                                 "cancelled", "unbounded",  "stalled",    "infeasible"};

}  // namespace

const char* name(fit_status status) noexcept { return names[static_cast<int>(status)]; }

std::string in_words(fit_status status) {
    std::string text = name(status);
    std::ranges::replace(text, '_', ' ');
    return text;
}

fit_status fit_status_named(std::string_view name) {
    if (name == "limit" || name == "iteration_limit") return fit_status::step_limit;  // as files of version 1 say it
    const auto* found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) fail(errc::parse, fmt::format("unknown status {}", name));
    return static_cast<fit_status>(found - std::begin(names));
}

}  // namespace mercer
