// The numbers an iterative fit needs to go on, in a file: after a crash the same call goes on where it was, and gives
// the bits it would have given, whatever the number of threads and processes. Writes are atomic: a reader sees the old
// or the new file.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/dense/lanczos.h"

namespace mercer {

class process_group;
template <class T>
class gram;

// For the options of a fit.
struct fit_checkpoint {
    std::string path{};   // empty: none is kept
    double seconds = 60;  // written at most once in so many
};

// The same for the numbers of rows first, first + 1, … of several processes, in no order.
std::uint64_t mark_of_rows(const process_group* group, std::span<const double> numbers, std::size_t first);

// Some kernel values, to a few digits: whether it is the same matrix, on whatever processor.
template <class T>
std::vector<double> first_values(const gram<T>& k);

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

// A solver's α in a file, so that a long fit can go on after a crash.

// What a checkpoint belongs to: min ½αᵀKα - pᵀα, lower <= α <= upper, with the sums of α that the solver keeps.
struct checkpoint_problem {
    std::span<const double> p, lower, upper;
    std::span<const double> sums;
};

void write_checkpoint(const std::string& path, const checkpoint_problem& problem, std::span<const double> alpha);
// The α written for the same problem; nothing when there is no file. A file for another problem, or a damaged one, is
// an error.
std::optional<std::vector<double>> read_checkpoint(const std::string& path, const checkpoint_problem& problem);

// The products of a fit by an iteration such as Lanczos's, kept in its checkpoint. A fit that was killed begins again
// and is given the products it had, which is all of its work, so that its bits are those of one that never stopped; no
// iteration needs to know how to go on. The library's own use.

class recorded_products {
public:
    recorded_products(block_operator multiply, const fit_checkpoint& where, std::uint64_t problem,
                      const process_group* group = nullptr);

    void operator()(matrix_view<const double> v, matrix_view<double> out);
    // The checkpoint of a fit that came to its end is of no use.
    void ended(fit_status how) const {
        if (how != fit_status::cancelled) keeper_.remove();
    }

private:
    block_operator multiply_;
    bool kept_;
    state_keeper keeper_;
    std::vector<double> all_;  // the products, one after the other
    std::size_t at_ = 0;       // how far they have been used
};

}  // namespace mercer
