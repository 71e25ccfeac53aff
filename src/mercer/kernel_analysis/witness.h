// A proof on few points that a symmetric matrix is not positive semidefinite.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernel_analysis/mercer_test.h"
#include "mercer/kernels/error_bounded.h"

namespace mercer {

// What is known of the entries at m points of a matrix: all m × m pairs, row by row.
using known_entries = std::function<std::vector<bounded<long double>>(std::span<const index> points)>;

// As few points as a greedy search finds on which K still has an eigenvalue below -delta; `direction` is the
// eigenvector of the smallest eigenvalue of K, which must be below -delta. K is what the search looks at; what it found
// is checked by `known` alone.
mercer_witness short_witness(const matrix<double>& k, double delta, std::span<const double> direction,
                             const known_entries& known);

}  // namespace mercer
