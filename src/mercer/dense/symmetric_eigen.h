// Eigenvalues and eigenvectors of a dense symmetric matrix, row-major, by LAPACK.
#pragma once

#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// A = Σₖ λₖ uₖuₖᵀ with λ ascending in `values`. Row k of `vectors` is uₖ, so `vectors` is Uᵀ. It is empty for
// eigen_parts::values.
struct eigen_system {
    std::vector<double> values;
    matrix<double> vectors;
};

enum class eigen_parts { values, values_and_vectors };

// Reads only one triangle of `a`. Throws errc::data if an entry is NaN or infinite or the iteration does not converge,
// errc::invalid_argument if `a` is not square, and errc::memory if n > 32000.
eigen_system symmetric_eigen(matrix<double> a, eigen_parts wanted = eigen_parts::values_and_vectors);

}  // namespace mercer
