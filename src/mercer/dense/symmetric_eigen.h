// Eigenvalues and eigenvectors of a symmetric matrix held in memory, row-major, by LAPACK.
#pragma once

#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// A = Σₖ λₖ uₖuₖᵀ, λ ascending. Row k of `vectors` is uₖ, so `vectors` is Uᵀ; empty when only values were asked for.
struct eigen_system {
    std::vector<double> values;
    matrix<double> vectors;
};

enum class eigen_parts { values, values_and_vectors };

// Only one triangle of `a` is read.
eigen_system symmetric_eigen(matrix<double> a, eigen_parts wanted = eigen_parts::values_and_vectors);

}  // namespace mercer
