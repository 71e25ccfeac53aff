// A proof on few points that a symmetric matrix is not positive semidefinite.
#pragma once

#include <span>

#include "mercer/base/matrix.h"
#include "mercer/insight/mercer_test.h"

namespace mercer {

// Σ cᵢcⱼK(pᵢ, pⱼ) in double and a rigorous bound on its error. K symmetric, entries between 2⁻²⁰⁰ and 2²⁰⁰ in size where they matter.
mercer_witness checked_witness(const matrix<double>& k, std::vector<index> points, std::vector<double> c, double entry_error);

// As few points as a greedy search finds on which K still has an eigenvalue below -delta; `direction` is the eigenvector of the
// smallest eigenvalue of K, which must be below -delta.
mercer_witness short_witness(const matrix<double>& k, double delta, std::span<const double> direction, double entry_error);

}  // namespace mercer
