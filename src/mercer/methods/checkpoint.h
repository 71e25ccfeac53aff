// Checkpoints of fits: the state of a solver in a file, from which an interrupted fit continues. Files are written
// atomically: a reader sees the old or the new file.
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

class communicator;
template <class T>
class gram;

// The file of a fit's checkpoint, an option of the fit.
struct fit_checkpoint {
    std::string path{};   // empty: the fit writes no checkpoint
    double seconds = 60;  // shortest time between two writes
};

// Returns a hash of the numbers that belong to rows first, first + 1, … of this rank, summed over all ranks. The order
// of the rows has no influence.
std::uint64_t hash_rows(const communicator* group, std::span<const double> numbers, std::size_t first);

// Returns some entries of K, rounded to a few digits, so that they are equal on every processor. They show whether a
// checkpoint belongs to this matrix.
template <class T>
std::vector<double> kernel_fingerprint(const gram<T>& k);

// Reads and writes the checkpoint of a fit. In a fit of several ranks, rank 0 reads and writes the file.
class checkpoint_file {
public:
    checkpoint_file(const fit_checkpoint& where, std::uint64_t problem, const communicator* group)
        : where_(where), problem_(problem), group_(group) {}
    // Returns the stored state, or nothing if there is no file. The state is the same on all ranks.
    std::optional<std::vector<double>> read() const;
    // Writes the state, unless the last write was less than `seconds` ago.
    void keep(std::span<const double> state);
    // Removes the file, at the end of the fit.
    void remove() const;

private:
    bool is_writer() const;
    const fit_checkpoint& where_;
    std::uint64_t problem_;
    const communicator* group_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// The problem to which a checkpoint of α belongs: min ½αᵀKα - pᵀα, lower <= α <= upper, with fixed sums of α.
struct checkpoint_problem {
    std::span<const double> p, lower, upper;
    std::span<const double> sums;
};

void write_checkpoint(const std::string& path, const checkpoint_problem& problem, std::span<const double> alpha);
// Reads the α written for the same problem; returns nothing if there is no file. Throws errc::io if the file is damaged
// or belongs to another problem.
std::optional<std::vector<double>> read_checkpoint(const std::string& path, const checkpoint_problem& problem);

// A matrix product whose results are recorded in a checkpoint, for fits by iterations such as Lanczos's. An interrupted
// fit starts from the beginning and reads the recorded products, which are nearly all of its work, instead of computing
// them. Its result is bit-identical to that of an uninterrupted fit, and the iteration needs no code for resuming.
class recorded_products {
public:
    recorded_products(block_operator multiply, const fit_checkpoint& where, std::uint64_t problem,
                      const communicator* group = nullptr);

    void operator()(matrix_view<const double> v, matrix_view<double> out);
    // Removes the checkpoint, unless the fit was cancelled and may be continued.
    void finish(fit_status how) const {
        if (how != fit_status::cancelled) keeper_.remove();
    }

private:
    block_operator multiply_;
    bool kept_;
    checkpoint_file keeper_;
    std::vector<double> all_;  // the products, consecutively
    std::size_t at_ = 0;       // number of elements of all_ that have been read or written
};

}  // namespace mercer
