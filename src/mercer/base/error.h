// The two ways to report a failure. Bad input is thrown as mercer::error, whose message states the violated condition
// and the offending value. In all comments "throws errc::x" means: throws a mercer::error whose code() is errc::x. A
// fit that does not converge is not an error: its result has a fit_status.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mercer {

// The code of an error: the kind of condition that is violated.
enum class errc {
    invalid_argument,  // a parameter or shape breaks a stated condition
    parse,             // text that does not follow its grammar: the message has file, line and column, or a caret
    io,                // a file that cannot be opened, read or written
    data,              // a value in the data that the method cannot use (NaN, infinity, a negative entry for chi2, ...)
    not_psd,           // a matrix that must be positive (semi)definite and is not
    infeasible,        // a problem without a solution (a hard margin for classes that cannot be separated)
    memory,            // more memory is needed than the memory limit allows
    unsupported,       // a combination that has no meaning (a string kernel on vectors)
    cancelled          // the caller asked to stop, and there is no usable result yet
};

const char* name(errc code) noexcept;  // "invalid_argument"

// The exception that the library throws: a code, and in what() a message for users.
class error : public std::runtime_error {
public:
    error(errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
    errc code() const noexcept { return code_; }

private:
    errc code_;
};

[[noreturn]] inline void fail(errc code, const std::string& message) { throw error(code, message); }

// How a fit, or the solver inside it, ended. Model files store the numbers of the first seven.
enum class fit_status {
    converged,   // the requested tolerance is met, measured in double
    stationary,  // the optimality conditions are met, but negative curvature was found: the matrix is not positive
                 // semidefinite, so this need not be the minimum
    step_limit,  // the largest number of steps, passes or iterations was reached
    time_limit,  // the time limit was reached
    cancelled,   // the progress callback asked to stop
    unbounded,   // the objective decreases without bound: the dual of a problem that has no solution
    stalled,     // no further progress in floating point
    infeasible   // no point satisfies the constraints
};

const char* name(fit_status status) noexcept;  // "step_limit"
std::string display_text(fit_status status);   // "step limit"
fit_status parse_fit_status(
    std::string_view name);  // throws errc::parse for an unknown name; accepts the names of earlier model files too

// Returns true if the conditions of an optimum are met to the requested tolerance.
constexpr bool is_optimal(fit_status status) {
    return status == fit_status::converged || status == fit_status::stationary;
}

// An error in one row of the data, or in one value of a row. Rows and columns count from 0, as in the library. Code
// that reports the error to a user can convert row and column to the user's way of counting and to the name of the
// column.
class row_error : public error {
public:
    row_error(std::ptrdiff_t row, std::ptrdiff_t column, const std::string& reason)
        : error(errc::data, column < 0 ? fmt::format("row {}: {}", row, reason)
                                       : fmt::format("row {}, column {}: {}", row, column, reason)),
          row_(row),
          column_(column),
          reason_(reason) {}

    // Returns a copy with the name of the column.
    row_error with_column_name(const std::string& column) const {
        row_error out = *this;
        out.name_ = column;
        return out;
    }
    std::ptrdiff_t row() const { return row_; }
    std::ptrdiff_t column() const { return column_; }  // -1: the whole row
    // The message with row and column counted from 1, and with the name of the column if it is known:
    // "row 1, column 'height': …".
    std::string one_based_message() const {
        if (column_ < 0) return fmt::format("row {}: {}", row_ + 1, reason_);
        return fmt::format("row {}, column {}: {}", row_ + 1,
                           name_.empty() ? std::to_string(column_ + 1) : "'" + name_ + "'", reason_);
    }

private:
    std::ptrdiff_t row_, column_;
    std::string reason_, name_;
};

}  // namespace mercer
