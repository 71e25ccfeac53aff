// Products of matrices small enough for one thread and its caches, by our own vector loops, for the tiles that
// tiled_blas.h divides larger ones into. Column by column, as BLAS has them.
//
// Written here because BLAS libraries choose their loops by the name of the processor: one that is newer than the
// library has those of a processor of 2004 (OpenBLAS 0.3.21 on Xeons of 2023, a fifth of the speed), and the last bits
// of a model depended on that choice.
#pragma once

namespace mercer::blas {

// C ← alpha·op(A)·op(B) + beta·C, C of m × n; "N" or "T".
template <class T>
void tile_product(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
                  int ldb, T beta, T* c, int ldc);

}  // namespace mercer::blas
