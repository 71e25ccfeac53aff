// Products of dense matrices held in memory.
#pragma once

#include "mercer/base/matrix_view.h"

namespace mercer {

// op(A)·op(B), op the transposition where asked for.
enum class transposed { no, yes };
matrix<double> product(matrix_view<const double> a, transposed a_turned, matrix_view<const double> b,
                       transposed b_turned);

// C ← C - A·Bᵀ
void subtract_product(matrix_view<const double> a, matrix_view<const double> b, matrix_view<double> c);
// Upper triangle of A += GᵀG.
void add_gram(matrix_view<const double> g, matrix<double>& a);
// out = A·v from the upper triangle of A; of each row of v.
void multiply_symmetric(matrix_view<const double> a, const double* v, double* out);
void multiply_symmetric(matrix_view<const double> a, matrix_view<const double> v, matrix_view<double> out);
// out += scale·A·v, out += scale·Aᵀ·v
void add_multiply(double scale, matrix_view<const double> a, transposed turned, const double* v, double* out);

// ‖A‖_F without overflow or underflow on the way.
double frobenius_norm(matrix_view<const double> a);
double largest_entry(matrix_view<const double> a);  // max |aᵢⱼ|

// Products of few long vectors, stored as rows: what an orthogonalisation is made of. Work is cut into fixed stretches
// of the long side and sums are added up in their order, so the bits do not depend on the number of threads. BLAS is
// slower here: its threads wait for each other at every one of these short calls.

// A·Bᵀ for A of p × n and B of m × n.
matrix<double> row_products(matrix_view<const double> a, matrix_view<const double> b);
// w ← w - c·q for w of p × n, c of p × m, q of m × n.
void subtract_combinations(matrix_view<double> w, matrix_view<const double> c, matrix_view<const double> q);

// The same with Fortran's arguments.
namespace blas {

// BLAS's and LAPACK's routines on large matrices, by tiles whose size depends on that of the matrices alone, each
// computed by one thread: the same bits for any number of threads. (OpenBLAS's own threads divide the work by their
// number, and its results have other last bits with each.) As Fortran sees it: column by column.
// C ← alpha·op(A)·op(B) + beta·C, C of m × n; "N" or "T".
template <class T>
void gemm(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
          T beta, T* c, int ldc);
// The half of C ("L" or "U") += alpha·op(A)·op(A)ᵀ, op(A) of n × k.
template <class T>
void syrk(const char* half, const char* op, int n, int k, T alpha, const T* a, int lda, T* c, int ldc);
// C ← A·B, C of n × m, A symmetric, its lower half.
void symm(int n, int m, const double* a, int lda, const double* b, int ldb, double* c, int ldc);
// y += alpha·op(A)·x, A of m × n.
void gemv(const char* op, int m, int n, double alpha, const double* a, int lda, const double* x, double* y);

// Products of matrices small enough for one thread and its caches, by our own vector loops, for the tiles that
// tiled_blas.h divides larger ones into. Column by column, as BLAS has them.
//
// Written here because BLAS libraries choose their loops by the name of the processor: one that is newer than the
// library has those of a processor of 2004 (OpenBLAS 0.3.21 on Xeons of 2023, a fifth of the speed), and the last bits
// of a model depended on that choice.
// C ← alpha·op(A)·op(B) + beta·C, C of m × n; "N" or "T".
template <class T>
void tile_product(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
                  int ldb, T beta, T* c, int ldc);
// syrk() by one thread: a triangle is two smaller ones and the square between them.
template <class T>
void tile_syrk(const char* half, const char* op, int n, int k, T alpha, const T* a, int lda, T* c, int ldc);

}  // namespace blas
}  // namespace mercer
