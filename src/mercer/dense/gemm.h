// Products of matrices small enough for one thread and its caches, by our own vector loops, for the tiles that
// tiled_blas.h divides larger ones into. Column by column, as BLAS has them.
//
// Written here because BLAS libraries choose their loops by the name of the processor: one that is newer than the
// library has those of a processor of 2004 (OpenBLAS 0.3.21 on Xeons of 2023, a fifth of the speed), and the last bits
// of a model depended on that choice.
#pragma once

#include "mercer/base/matrix_view.h"

namespace mercer::blas {

// C ← alpha·op(A)·op(B) + beta·C, C of m × n; "N" or "T".
template <class T>
void tile_product(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
                  int ldb, T beta, T* c, int ldc);

}  // namespace mercer::blas

namespace mercer {

// Products of few long vectors, stored as rows: what an orthogonalisation is made of. Work is cut into fixed stretches
// of the long side and sums are added up in their order, so the bits do not depend on the number of threads. BLAS is
// slower here: its threads wait for each other at every one of these short calls.

// A·Bᵀ for A of p × n and B of m × n.
matrix<double> row_products(matrix_view<const double> a, matrix_view<const double> b);
// w ← w - c·q for w of p × n, c of p × m, q of m × n.
void subtract_combinations(matrix_view<double> w, matrix_view<const double> c, matrix_view<const double> q);

}  // namespace mercer
