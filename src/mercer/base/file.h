// Writing files so that a reader sees the old contents or the new ones, never a part.
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

// Replaces the file: a temporary file in its folder is written, synced and renamed over it, then the directory is
// synced. Symbolic links are followed; permissions, owner and group stay. What a rename would lose (other hard links,
// access lists, an owner that cannot be given) or cannot do (a folder without write permission, a mounted file) is
// written in place at the end, once all bytes are there. What is not a plain file (a pipe, /dev/stdout) is written to
// directly. A file without write permission is not written. Fails with the path and the system's reason. unsynced:
// without waiting for the disk. A killed process still leaves the old or the new contents; a power cut may lose both.
enum class durability { synced, unsynced };
void write_atomically(const std::string& path, std::string_view bytes, durability how = durability::synced);

// Fails, as writing would, where the file cannot be written: for work whose result is to go there. Changes nothing.
// What is not a plain file is not opened.
void require_writable(const std::string& path);

// Whether two paths lead to one file, also through links; where neither file exists, whether a new one would.
bool is_same_file(const std::string& a, const std::string& b);

// write_atomically for contents that come piece by piece; what cannot be written is told when it is made. Without
// commit() the old file stays as it was.
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

// For programs: signals that end the process (SIGINT, SIGTERM, SIGHUP) delete the temporary files first. Only file
// systems on which these must have a name (NFS) need it. A signal that was ignored stays ignored.
void remove_temporaries_on_signals();

// The numbers an iterative fit needs to go on, in a file: after a crash the same call goes on where it was.

// FNV-1a over what makes a problem: tells one from another.
class problem_mark {
public:
    problem_mark& add(std::string_view bytes) {
        for (const char each : bytes) value_ = (value_ ^ static_cast<unsigned char>(each)) * 0x100000001B3ull;
        return *this;
    }
    problem_mark& add(std::span<const double> numbers) {
        for (const double each : numbers) {
            char bytes[sizeof each];
            std::memcpy(bytes, &each, sizeof each);
            add(std::string_view(bytes, sizeof bytes));
        }
        return *this;
    }
    problem_mark& add(double number) { return add(std::span<const double>(&number, 1)); }
    problem_mark& add(std::initializer_list<double> numbers) {
        return add(std::span<const double>(numbers.begin(), numbers.size()));
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xCBF29CE484222325ull;
};
void write_state(const std::string& path, std::uint64_t problem, std::span<const double> state);
// The state written for the same problem; nothing when there is no file. A file for another problem, or a damaged one,
// is an error.
std::optional<std::vector<double>> read_state(const std::string& path, std::uint64_t problem);
void remove_state(const std::string& path);

// Numbers in the state of a fit that goes on from a checkpoint: a state is a list of doubles, and its file may be
// damaged.

// Fails with errc::data unless x is a whole number and low <= x <= high.
inline index whole_in_state(double x, index low, index high) {
    if (!(x >= static_cast<double>(low) && x <= static_cast<double>(high)) || x != std::floor(x))
        fail(errc::data, fmt::format("the checkpoint is damaged: a whole number from {} to {} was expected, got {}. "
                                     "Remove its file and fit again",
                                     low, high, x));
    return static_cast<index>(x);
}
// Fails with errc::data unless low <= x <= high.
inline double number_in_state(double x, double low, double high) {
    if (!(x >= low && x <= high))
        fail(errc::data,
             fmt::format("the checkpoint is damaged: a number from {} to {} was expected, got {}. Remove its "
                         "file and fit again",
                         low, high, x));
    return x;
}
inline index count_in_state(double x) { return whole_in_state(x, 0, index{1} << 53); }

// System calls that a signal has interrupted are repeated.

// The result of call(), which is repeated while it is negative and errno is EINTR. Not for close(): Linux has closed
// the descriptor, which another thread may have got since.
template <class Call>
auto uninterrupted(Call call) {
    for (;;) {
        const auto result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

}  // namespace mercer
