// The numbers an iterative fit needs to go on, in a file: after a crash the same call goes on where it was, and gives
// the bits it would have given, whatever the number of threads and processes. Writes are atomic: a reader sees the old
// or the new file.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

class process_group;
template <class T>
class gram;

// For the options of a fit.
struct fit_checkpoint {
    std::string path{};   // empty: none is kept
    double seconds = 60;  // written at most once in so many
};

// FNV-1a over what makes a problem: tells one from another.
class problem_mark {
public:
    problem_mark& add(std::string_view bytes);
    problem_mark& add(std::span<const double> numbers);
    problem_mark& add(double number) { return add(std::span<const double>(&number, 1)); }
    problem_mark& add(std::initializer_list<double> numbers) {
        return add(std::span<const double>(numbers.begin(), numbers.size()));
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xCBF29CE484222325ull;
};
// The same for the numbers of rows first, first + 1, … of several processes, in no order.
std::uint64_t mark_of_rows(const process_group* group, std::span<const double> numbers, std::size_t first);

// Some kernel values, to a few digits: whether it is the same matrix, on whatever processor.
template <class T>
std::vector<double> first_values(const gram<T>& k);

void write_state(const std::string& path, std::uint64_t problem, std::span<const double> state);
// The state written for the same problem; nothing when there is no file. A file for another problem, or a damaged one,
// is an error.
std::optional<std::vector<double>> read_state(const std::string& path, std::uint64_t problem);
void remove_state(const std::string& path);

// The checkpoint of a fit. Of several processes the first one reads and writes.
class state_keeper {
public:
    state_keeper(const fit_checkpoint& where, std::uint64_t problem, const process_group* group)
        : where_(where), problem_(problem), group_(group) {}
    std::optional<std::vector<double>> found() const;
    // Written if the last time is long enough ago.
    void keep(std::span<const double> state);
    // The fit has come to its end.
    void remove() const;

private:
    bool mine() const;
    const fit_checkpoint& where_;
    std::uint64_t problem_;
    const process_group* group_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace mercer
