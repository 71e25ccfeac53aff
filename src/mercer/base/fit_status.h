// How a fit, or the solver inside it, ended: one word for all of them.
#pragma once

#include <string>
#include <string_view>

namespace mercer {

// Model files hold the numbers of the first seven.
enum class fit_status {
    converged,   // the tolerance asked for is met, measured in double
    stationary,  // its conditions are met, but negative curvature was, too: the matrix is not positive semidefinite, so
                 // this need not be the minimum
    step_limit,
    time_limit,
    cancelled,  // the progress callback said so
    unbounded,  // the objective falls without end: the dual of a problem that has no solution
    stalled,    // no further progress in floating point
    infeasible  // nothing meets the constraints
};

const char* name(fit_status status) noexcept;  // "step_limit"
std::string in_words(fit_status status);       // "step limit"
fit_status fit_status_named(
    std::string_view name);  // errc::parse where there is none; takes the names of earlier model files too

// Whether this end meets the conditions of an optimum to the tolerance asked for.
constexpr bool finished(fit_status status) {
    return status == fit_status::converged || status == fit_status::stationary;
}

}  // namespace mercer
