// Errors: bad input is thrown as mercer::error, with the violated condition and the offending value in its message.
// Not converging is never an error: it is a status in the result.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mercer {

enum class errc {
    invalid_argument,  // a parameter or shape breaks a stated condition
    parse,             // text that does not follow its grammar: the message holds file, line and column, or a caret
    io,                // a file that cannot be opened, read or written
    data,         // a value in the data that the method cannot take (NaN, infinity, a negative entry for chi2, ...)
    not_psd,      // a matrix that had to be positive (semi)definite and is not
    infeasible,   // a problem without a solution (hard margin on data that cannot be separated)
    memory,       // more memory needed than the budget allows
    unsupported,  // a combination that has no meaning (a string kernel on vectors)
    cancelled     // the caller's progress callback said stop, and there is nothing yet that could be kept
};

const char* name(errc code) noexcept;

class error : public std::runtime_error {
public:
    error(errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
    errc code() const noexcept { return code_; }

private:
    errc code_;
};

[[noreturn]] inline void fail(errc code, const std::string& message) { throw error(code, message); }

// How a fit, or the solver inside it, ended: one word for all of them.

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

// A fault in one row of the data, or in one of its values. Rows and columns count from 0, as in the library; whoever
// knows how the sender counts, and what the columns are called, says it in those terms.

class row_error : public error {
public:
    row_error(std::ptrdiff_t row, std::ptrdiff_t column, const std::string& reason)
        : error(errc::data, column < 0 ? fmt::format("row {}: {}", row, reason)
                                       : fmt::format("row {}, column {}: {}", row, column, reason)),
          row_(row),
          column_(column),
          reason_(reason) {}

    // The same fault with the name of its column.
    row_error named(const std::string& column) const {
        row_error out = *this;
        out.name_ = column;
        return out;
    }
    std::ptrdiff_t row() const { return row_; }
    std::ptrdiff_t column() const { return column_; }  // -1: the whole row
    // "row 1, column 'height': …": counted from 1, and with the name where it is known.
    std::string counted_from_one() const {
        if (column_ < 0) return fmt::format("row {}: {}", row_ + 1, reason_);
        return fmt::format("row {}, column {}: {}", row_ + 1,
                           name_.empty() ? std::to_string(column_ + 1) : "'" + name_ + "'", reason_);
    }

private:
    std::ptrdiff_t row_, column_;
    std::string reason_, name_;
};

}  // namespace mercer
