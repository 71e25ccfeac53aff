// What the fits of dense methods check and share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// Fails unless x is square, finite and y has one finite row for each of the n >= 1 examples and at least one column.
void check_targets(const std::string& owner, index n, matrix_view<const double> y);
// The weights, 1 where none are given; fails unless there are n of them with 0 <= weight < infinity, not all of them 0.
std::vector<double> checked_weights(const std::string& owner, index n, std::span<const double> weight);
// Fails unless there are n weights with 0 <= weight < infinity.
void check_weights(const std::string& owner, index n, std::span<const double> weight);
// The examples of positive weight, ascending.
std::vector<index> positive(std::span<const double> weight);
// Fails, naming the bytes, where `needed` is more than the budget.
void check_budget(const std::string& owner, double needed, std::size_t budget, const std::string& why);
// "4.1 GB"
std::string bytes_text(double bytes);

}  // namespace mercer
