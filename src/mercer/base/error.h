// Errors: bad input is thrown as mercer::error, with the violated condition and the offending value in its message.
// Not converging is never an error: it is a status in the result.
#pragma once

#include <stdexcept>
#include <string>

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

}  // namespace mercer
