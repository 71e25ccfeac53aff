// A solver's α in a file, so that a long fit can go on after a crash. Writes are atomic: a reader sees the old or the
// new file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercer {

// What a checkpoint belongs to: min ½αᵀKα - pᵀα, lower <= α <= upper, with the sums of α that the solver keeps.
struct checkpoint_problem {
    std::span<const double> p, lower, upper;
    std::span<const double> sums;
};

void write_checkpoint(const std::string& path, const checkpoint_problem& problem, std::span<const double> alpha);
// The α written for the same problem; nothing when there is no file. A file for another problem, or a damaged one, is
// an error.
std::optional<std::vector<double>> read_checkpoint(const std::string& path, const checkpoint_problem& problem);

}  // namespace mercer
