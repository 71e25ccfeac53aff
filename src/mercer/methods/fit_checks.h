// Checks of the examples, targets and weights of a fit. All fail with the name of the method (`owner`) and the value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"

namespace mercer {

// All 1 where none are given. Fails unless there are n of them, finite, >= 0, with at least `positive` above 0.
std::vector<double> checked_weights(const std::vector<double>& given, index n, index positive,
                                    const std::string& owner);
// Fails for n = 0, and for vectors with NaN or infinity.
void require_objects(const dataset& x, const std::string& owner);
// The diagonal of a square matrix, finite.
std::vector<double> checked_diagonal(const gram<double>& k, const std::string& owner);
// The different values of y, ascending; y must be finite and as long as n.
std::vector<double> distinct_labels(std::span<const double> y, index n, const std::string& owner);
// For each y its place among the classes.
std::vector<index> label_places(std::span<const double> y, const std::vector<double>& classes);

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
