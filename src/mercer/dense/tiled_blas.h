// BLAS's and LAPACK's routines on large matrices, by tiles whose size depends on that of the matrices alone, each
// computed by one thread: the same bits for any number of threads. (OpenBLAS's own threads divide the work by their
// number, and its results have other last bits with each.) As Fortran sees it: column by column.
#pragma once

#include "mercer/base/matrix_view.h"

namespace mercer::blas {

// C ← alpha·op(A)·op(B) + beta·C, C of m × n; "N" or "T".
template <class T>
void gemm(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
          T beta, T* c, int ldc);
// The half of C ("L" or "U") += alpha·op(A)·op(A)ᵀ, op(A) of n × k.
template <class T>
void syrk(const char* half, const char* op, int n, int k, T alpha, const T* a, int lda, T* c, int ldc);
// B ← op(A)⁻¹B ("L") or B·op(A)⁻¹ ("R"), B of m × n, A the triangle `half`.
template <class T>
void trsm(const char* side, const char* half, const char* op, int m, int n, const T* a, int lda, T* b, int ldb);
// C ← A·B, C of n × m, A symmetric, its lower half.
void symm(int n, int m, const double* a, int lda, const double* b, int ldb, double* c, int ldc);
// y += alpha·op(A)·x, A of m × n.
void gemv(const char* op, int m, int n, double alpha, const double* a, int lda, const double* x, double* y);
// A = LLᵀ ("L") or UᵀU ("U"). LAPACK's info: 0, or the number of the minor that is not positive.
template <class T>
int potrf(const char* half, int n, T* a, int lda);

}  // namespace mercer::blas
