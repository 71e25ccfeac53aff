// Products of few long vectors, stored as rows: what an orthogonalisation is made of. Work is cut into fixed stretches
// of the long side and sums are added up in their order, so the bits do not depend on the number of threads. BLAS is
// slower here: its threads wait for each other at every one of these short calls.
#pragma once

#include "mercer/base/matrix_view.h"

namespace mercer {

// A·Bᵀ for A of p × n and B of m × n.
matrix<double> row_products(matrix_view<const double> a, matrix_view<const double> b);
// w ← w - c·q for w of p × n, c of p × m, q of m × n.
void subtract_combinations(matrix_view<double> w, matrix_view<const double> c, matrix_view<const double> q);

}  // namespace mercer
