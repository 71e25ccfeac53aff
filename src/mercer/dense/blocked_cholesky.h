// A = LLᵀ in place, without BLAS: the programs that start in a millisecond do not load one (dense_algebra.h has
// LAPACK's).
#pragma once

#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer::smo {

// L replaces the lower triangle; what is above the diagonal is overwritten with nothing of meaning. False where a pivot
// is not positive.
bool blocked_cholesky(matrix<double>& a);
// Solves LLᵀz = b in place.
void solve_cholesky(const matrix<double>& L, std::vector<double>& b);

}  // namespace mercer::smo
