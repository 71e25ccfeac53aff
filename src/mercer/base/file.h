// Atomic replacement of files: a reader sees the old or the new contents, never a part. State files of iterative fits.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

// Replaces the contents of a file. A temporary file in the same folder is written, synced to disk and renamed over the
// file, then the folder is synced. Symbolic links are followed; permissions, owner and group stay.
//
// Where a rename would lose something (other hard links, access lists, an owner that cannot be set) or is impossible (a
// folder without write permission, a mounted file), all bytes are first written to the temporary file and then copied
// into the existing file. Anything that is not a regular file (a pipe, /dev/stdout) is written to directly. A file
// without write permission is not written. Throws errc::io with the path and the system's reason.
//
// durability::unsynced does not wait for the disk: a killed process still leaves the old or the new contents, but a
// power failure may lose both.
enum class durability { synced, unsynced };
void write_atomically(const std::string& path, std::string_view bytes, durability how = durability::synced);

// Checks that a file can be written, for callers that will write a result after long work: throws the error that
// writing would throw. Changes nothing, and opens no pipe or device.
void require_writable(const std::string& path);

// Returns true if two paths lead to the same file, also through links. If neither file exists, returns true if both
// paths would create the same file.
bool is_same_file(const std::string& a, const std::string& b);

// write_atomically() for contents that are written in parts. The constructor throws if the file cannot be written.
// Without commit() the old file stays unchanged.
class atomic_file {
public:
    explicit atomic_file(const std::string& path);
    ~atomic_file();
    atomic_file(const atomic_file&) = delete;
    atomic_file& operator=(const atomic_file&) = delete;
    void write(std::string_view bytes);
    void commit(durability how = durability::synced);

private:
    struct state;
    std::unique_ptr<state> state_;
};

// For programs: from this call on, signals that end the process (SIGINT, SIGTERM, SIGHUP) delete the temporary files
// first. Only file systems on which temporary files must have a name (NFS) need it. A signal that was ignored stays
// ignored.
void remove_temporaries_on_signals();

// State files contain the numbers that an iterative fit needs to continue after a crash, the hash of its problem and a
// checksum.

// FNV-1a hash of the data that define a problem. Fits of different problems have different hashes (up to collisions).
class problem_hash {
public:
    problem_hash& add(std::string_view bytes) {
        for (const char each : bytes) value_ = (value_ ^ static_cast<unsigned char>(each)) * 0x100000001B3ull;
        return *this;
    }
    problem_hash& add(std::span<const double> numbers) {
        for (const double each : numbers) {
            char bytes[sizeof each];
            std::memcpy(bytes, &each, sizeof each);
            add(std::string_view(bytes, sizeof bytes));
        }
        return *this;
    }
    problem_hash& add(double number) { return add(std::span<const double>(&number, 1)); }
    problem_hash& add(std::initializer_list<double> numbers) {
        return add(std::span<const double>(numbers.begin(), numbers.size()));
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xCBF29CE484222325ull;
};
void write_state(const std::string& path, std::uint64_t problem, std::span<const double> state);
// Returns the state that write_state() wrote for the problem with this hash; nullopt if there is no file. Throws
// errc::io if the file belongs to another problem or is damaged.
std::optional<std::vector<double>> read_state(const std::string& path, std::uint64_t problem);
void remove_state(const std::string& path);  // no error if there is no file

// Checks of the numbers in a state. A state is a list of doubles, and its file may be damaged.

// Returns x. Throws errc::data unless x is a whole number and low <= x <= high.
inline index state_integer(double x, index low, index high) {
    if (!(x >= static_cast<double>(low) && x <= static_cast<double>(high)) || x != std::floor(x))
        fail(errc::data, fmt::format("the checkpoint is damaged: expected a whole number from {} to {}, got {}. Remove "
                                     "the file and fit again",
                                     low, high, x));
    return static_cast<index>(x);
}
// Returns x. Throws errc::data unless low <= x <= high.
inline double state_number(double x, double low, double high) {
    if (!(x >= low && x <= high))
        fail(errc::data,
             fmt::format(
                 "the checkpoint is damaged: expected a number from {} to {}, got {}. Remove the file and fit again",
                 low, high, x));
    return x;
}
inline index state_count(double x) { return state_integer(x, 0, index{1} << 53); }

// Repeats a system call that a signal has interrupted: calls call() until its result is not negative or errno is not
// EINTR, and returns the result. Not for close(): Linux has closed the descriptor even then, and another thread may
// have received the same number since.
template <class Call>
auto retry_interrupted(Call call) {
    for (;;) {
        const auto result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

}  // namespace mercer
