// Products of dense matrices, and their norms.
//
// The functions of namespace mercer take row-major matrices. The functions of namespace blas have the arguments of BLAS
// and take column-major matrices. All results are bit-identical for any number of threads: work is divided into tiles
// or chunks, each of which one thread computes, and every entry is the same sum whatever the tile size. (OpenBLAS's own
// threads divide the work by their number, and the rounding of its results depends on it.)
#pragma once

#include "mercer/base/matrix_view.h"

namespace mercer {

enum class transposed { no, yes };
// op(A)·op(B), where op transposes its argument or leaves it unchanged. Throws errc::invalid_argument if the inner
// sizes differ.
matrix<double> product(matrix_view<const double> a, transposed a_transposed, matrix_view<const double> b,
                       transposed b_transposed);

// C ← C - A·Bᵀ
void subtract_product(matrix_view<const double> a, matrix_view<const double> b, matrix_view<double> c);
// A ← A + GᵀG, upper triangle only.
void add_gram(matrix_view<const double> g, matrix<double>& a);
// out = A·v for a symmetric A of which only the upper triangle is read.
void multiply_symmetric(matrix_view<const double> a, const double* v, double* out);
// The same for every row v of the matrix `v`; row i of `out` is the product with row i.
void multiply_symmetric(matrix_view<const double> a, matrix_view<const double> v, matrix_view<double> out);
// out ← out + scale·op(A)·v
void add_multiply(double scale, matrix_view<const double> a, transposed turned, const double* v, double* out);

// ‖A‖_F. Entries are scaled by the largest one, so their squares neither overflow nor underflow.
double frobenius_norm(matrix_view<const double> a);
double max_abs_entry(matrix_view<const double> a);  // max |aᵢⱼ|

// Products of a few long vectors, stored as rows, for orthogonalisation. The long side is divided into chunks of a
// fixed length, and the partial sums of the chunks are added in order. (The threads of a BLAS library would wait for
// each other at each of these short calls, which is slower.)

// A·Bᵀ for A of p × n and B of m × n.
matrix<double> row_products(matrix_view<const double> a, matrix_view<const double> b);
// w ← w - c·q for w of p × n, c of p × m, q of m × n.
void subtract_combinations(matrix_view<double> w, matrix_view<const double> c, matrix_view<const double> q);

// Column-major matrices and BLAS's arguments: op is "N" (as it is) or "T" (transposed), lda, ldb and ldc are the
// distances of columns.
namespace blas {

// C ← alpha·op(A)·op(B) + beta·C, C of m × n.
template <class T>
void gemm(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
          T beta, T* c, int ldc);
// C ← C + alpha·op(A)·op(A)ᵀ, op(A) of n × k. Only the lower ("L") or upper ("U") half of C is read and written.
template <class T>
void syrk(const char* half, const char* op, int n, int k, T alpha, const T* a, int lda, T* c, int ldc);
// C ← A·B, C of n × m, for a symmetric A of which only the lower half is read.
void symm(int n, int m, const double* a, int lda, const double* b, int ldb, double* c, int ldc);
// y ← y + alpha·op(A)·x, A of m × n.
void gemv(const char* op, int m, int n, double alpha, const double* a, int lda, const double* x, double* y);

// gemm() and syrk() by the calling thread alone, for the tiles into which the functions above divide large matrices.
//
// They use the vector loops of vector_ops.h instead of a BLAS library. A BLAS library chooses its loops by the name of
// the processor. On a processor that is newer than the library it falls back to loops of 2004, at a fifth of the speed
// (OpenBLAS 0.3.21 on Xeons of 2023), and the rounding of a model would depend on that choice.
template <class T>
void tile_product(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
                  int ldb, T beta, T* c, int ldc);
template <class T>
void tile_syrk(const char* half, const char* op, int n, int k, T alpha, const T* a, int lda, T* c, int ldc);

}  // namespace blas
}  // namespace mercer
