// Decompositions of symmetric matrices held in memory, row-major, by LAPACK. Every function refuses NaN and infinity,
// which LAPACK would not survive, and a matrix larger than its 32-bit sizes allow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// RᵀR = A with R upper triangular, zeros below; nothing when a pivot is not positive.
std::optional<matrix<double>> cholesky(matrix<double> a);

// A ≈ PᵀP with P of rank × n: Cholesky with the largest remaining diagonal entry as pivot, ended when that is <=
// tolerance. pivots[k] is the row that step k took.
struct pivoted_factor {
    matrix<double> p;
    std::vector<index> pivots;
};
pivoted_factor pivoted_cholesky(matrix<double> a, double tolerance);

// The same without a copy, for matrices that fill the memory: of A only the upper half is read, and R replaces it; what
// is below the diagonal is never touched. Returns -1, or the row whose pivot is not positive, or is nothing but the
// rounding of its diagonal entry.
index cholesky_in_place(matrix_view<double> a);
// B ← A⁻¹B and B ← R⁻ᵀBᵀ (given and returned as rows) from that R.
void cholesky_solve(matrix_view<const double> r, matrix_view<double> b);
void cholesky_half_solve_rows(matrix_view<const double> r, matrix_view<double> b);
// B ← R⁻¹Bᵀ, as rows.
void cholesky_other_half_solve_rows(matrix_view<const double> r, matrix_view<double> b);
// diag A⁻¹ from that R, which is lost: (A⁻¹)ᵢᵢ = Σ_k (R⁻¹)ᵢₖ².
std::vector<double> inverse_diagonal(matrix_view<double> r);

// In place, for a solver that factors matrices of one size again and again. Unlike those above they check nothing: NaN
// in, NaN out. A = RᵀR: R replaces the upper triangle, the rest is neither read nor written. False where a pivot is not
// positive.
bool cholesky_in_place(matrix<double>& a);
// Every row of b is a right-hand side and becomes A⁻¹ of it, R from cholesky_in_place.
void cholesky_solve(const matrix<double>& r, matrix_view<double> b);
// A = LLᵀ in float: L replaces the lower triangle, and then every row of b becomes A⁻¹ of it.
bool cholesky_lower_in_place(matrix_view<float> a);
void cholesky_solve_rows(matrix_view<const float> l, matrix_view<float> b);

// AX = B for a symmetric positive definite matrix, factored in float and solved to the accuracy of double.
//
// A Cholesky decomposition in float takes half the time of one in double. With D = diag(aᵢᵢ), D^-½AD^-½ ≈ LLᵀ in float,
// and M = D^½LLᵀD^½ preconditions conjugate gradients on A in double, restarted from the true residual until it has,
// for every column,
//     ‖b - Ax‖∞ <= √n ε ‖A‖∞‖x‖∞,   ε = 2⁻⁵³,
// the rule of LAPACK's dsposv (Langou, Langou, Luszczek, Kurzak, Buttari, Dongarra 2006), which refines with the plain
// steps x += M⁻¹r. Conjugate gradients take the same product and the same solve a step, and still converge where κ(A)
// times the rounding of float is not small and refinement would not (Higham, Mary 2022, section 4.3). The scaling keeps
// every entry in float's range (Higham, Pranesh 2019).
//
// A float factor may exist though A is not positive definite. So a column of random signs is solved as well: every
// eigenvector of M⁻¹A has a part in it, its residual vanishes only when the Ritz values reach them all, and one that is
// not positive, or tiny, shows as pᵀAp <= 10⁻⁴ pᵀMp. Then, and where the factor fails or the steps do not suffice,
// nothing is solved: a decomposition in double decides.

struct mixed_result {
    bool solved = false;
    index products = 0;   // with A
    double residual = 0;  // the largest ‖b - Ax‖∞/(‖A‖∞‖x‖∞), in double
};

// Of `a` the upper half is read. The lower half of `room`, diagonal included, is overwritten with L; it may have any
// stride, and lie in memory that `a` does not use. Every row of `b` is a right-hand side, and becomes its solution
// where all are solved; else it stays.
mixed_result mixed_cholesky_solve(matrix_view<const double> a, matrix_view<float> room, matrix_view<double> b);

// n × n doubles of which only those on and above the diagonal are used, with room for L in float below.
class mixed_matrix {
public:
    explicit mixed_matrix(index n) : n_(n) { data_.uninitialised(n * (n + 1)); }
    // One unused double before each row: what stands before the diagonal holds 2(i + 1) floats.
    matrix_view<double> upper() { return {data_.data() + 1, n_, n_, n_ + 1}; }
    matrix_view<float> lower() { return {reinterpret_cast<float*>(data_.data()), n_, n_, 2 * (n_ + 1)}; }

private:
    buffer<double> data_;
    index n_;
};

// A = LLᵀ in place, without BLAS: the programs that start in a millisecond do not load one (dense_algebra.h has
// LAPACK's).

// L replaces the lower triangle; what is above the diagonal is overwritten with nothing of meaning. False where a pivot
// is not positive.
bool blocked_cholesky(matrix<double>& a);
// Solves LLᵀz = b in place.
void solve_cholesky(const matrix<double>& L, std::vector<double>& b);

// The same with Fortran's arguments.
namespace blas {

// B ← op(A)⁻¹B ("L") or B·op(A)⁻¹ ("R"), B of m × n, A the triangle `half`.
template <class T>
void trsm(const char* side, const char* half, const char* op, int m, int n, const T* a, int lda, T* b, int ldb);
// A = LLᵀ ("L") or UᵀU ("U"). LAPACK's info: 0, or the number of the minor that is not positive.
template <class T>
int potrf(const char* half, int n, T* a, int lda);

}  // namespace blas
}  // namespace mercer
