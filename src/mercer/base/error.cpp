#include "mercer/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mercer {

const char* name(errc code) noexcept {
    switch (code) {
        case errc::invalid_argument: return "invalid argument";
        case errc::parse: return "parse error";
        case errc::io: return "i/o error";
        case errc::data: return "bad data";
        case errc::not_psd: return "not positive semidefinite";
        case errc::infeasible: return "infeasible";
        case errc::memory: return "memory budget";
        case errc::unsupported: return "unsupported";
        case errc::cancelled: return "cancelled";
    }
    return "error";
}

namespace {

constexpr const char* names[] = {"converged", "stationary", "step_limit", "time_limit",
                                 "cancelled", "unbounded",  "stalled",    "infeasible"};

}  // namespace

const char* name(fit_status status) noexcept { return names[static_cast<int>(status)]; }

std::string display_text(fit_status status) {
    std::string text = name(status);
    std::ranges::replace(text, '_', ' ');
    return text;
}

fit_status parse_fit_status(std::string_view name) {
    if (name == "limit" || name == "iteration_limit") return fit_status::step_limit;  // in files of version 1
    const auto* found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) fail(errc::parse, fmt::format("unknown fit status '{}'", name));
    return static_cast<fit_status>(found - std::begin(names));
}

}  // namespace mercer
