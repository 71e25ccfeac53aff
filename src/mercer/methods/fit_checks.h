// Checks of the examples, targets and weights of a fit. Their messages begin with `owner`, the name of the method, and
// contain the wrong value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"

namespace mercer {

// Returns the weights, or n ones if `given` is empty. Fails unless there are n weights, all finite and >= 0, of which
// at least `positive` are > 0.
std::vector<double> checked_weights(const std::vector<double>& given, index n, index positive,
                                    const std::string& owner);
// Fails for an empty dataset, and for vectors with NaN or infinity.
void require_objects(const dataset& x, const std::string& owner);
// Returns the diagonal of k. Fails unless k is square, not empty, and its diagonal finite.
std::vector<double> checked_diagonal(const gram<double>& k, const std::string& owner);
// Returns the distinct values of y in ascending order. Fails unless y has n finite elements.
std::vector<double> distinct_labels(std::span<const double> y, index n, const std::string& owner);
// Returns the index of each y in `classes`, which must be ascending and contain it.
std::vector<index> class_indices(std::span<const double> y, const std::vector<double>& classes);

// Fails unless n >= 1 and y has n finite rows and at least one column.
void check_targets(const std::string& owner, index n, matrix_view<const double> y);
// Returns the weights, or n ones if `weight` is empty. Fails unless there are n weights with 0 <= weight < infinity
// that are not all 0.
std::vector<double> checked_weights(const std::string& owner, index n, std::span<const double> weight);
// Fails unless there are n weights with 0 <= weight < infinity.
void check_weights(const std::string& owner, index n, std::span<const double> weight);
// Returns the indices of the positive weights, ascending.
std::vector<index> positive_indices(std::span<const double> weight);
// Fails with errc::memory if `needed` bytes exceed the budget. The message contains `why`.
void check_budget(const std::string& owner, double needed, std::size_t budget, const std::string& why);
// A number of bytes as text: "4.1 GB".
std::string format_bytes(double bytes);

}  // namespace mercer
