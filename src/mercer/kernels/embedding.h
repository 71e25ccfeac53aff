// Objects turned into vectors, so that the statistics of vectors serve every kind of object.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mercer/kernels/plan.h"

namespace mercer {

// The vectors as they are, after a check that no coordinate is negative; `owner` asks for it.
feature non_negative(const std::string& owner);
// x ↦ Mx with M given by rows.
feature linear_map(std::string key, std::vector<std::vector<double>> m);
// The same up to a shift, for kernels that ask for differences only: far from the origin Mx would lose what M(x-z)
// needs.
feature linear_map_of_differences(std::string key, std::vector<std::vector<double>> m);
// x ↦ s∘x, coordinate by coordinate, up to a shift too. `numbers`, such as "scaled: there are factors for vectors",
// begins the error where the data have another number of columns.
feature scale_map_of_differences(std::string key, std::string numbers, std::vector<double> factors);
// x ↦ (cos 2πx/p - 1, sin 2πx/p), coordinate by coordinate: ‖φ(x)-φ(z)‖² = 4 Σ sin²(π(xₐ-zₐ)/p).
feature circle_map(double period);
// x ↦ φ(x) for a function of one vector.
feature vector_map(std::string key, std::function<std::vector<double>(std::span<const double>)> phi);
// x ↦ the chosen coordinates.
feature column_map(const std::vector<index>& columns);
// x ↦ s∘x, coordinate by coordinate.
feature scale_map(const std::vector<double>& factors);

}  // namespace mercer
