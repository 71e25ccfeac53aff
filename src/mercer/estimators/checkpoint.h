// A solver's α in a file, so that a long fit can go on after a crash. Writes are atomic: a reader sees the old or the new file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercer {

void write_checkpoint(const std::string& path, std::span<const double> p, std::span<const double> lower, std::span<const double> upper, std::span<const double> alpha);
// The α written for the same problem; nothing when there is no file. A file for another problem, or a damaged one, is an error.
std::optional<std::vector<double>> read_checkpoint(const std::string& path, std::span<const double> p, std::span<const double> lower, std::span<const double> upper);

}  // namespace mercer
