// Cholesky factors of symmetric positive definite matrices, and the solution of linear systems with them.
//
// Matrices are row-major. Right-hand sides are rows unless a comment says otherwise. A function whose comment ends with
// "Checks the matrix." throws errc::data if an entry is NaN or infinite (LAPACK may then not return) and errc::memory
// if the matrix is larger than LAPACK's 32-bit sizes allow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// R with RᵀR = A, R upper triangular with zeros below; nullopt if a pivot is not positive. Checks the matrix.
std::optional<matrix<double>> cholesky(matrix<double> a);

// A ≈ PᵀP with P of rank × n. The pivot of each step is the largest remaining diagonal entry; the decomposition ends
// when that entry is <= tolerance. pivots[k] is the row of the pivot of step k. Checks the matrix.
struct pivoted_factor {
    matrix<double> p;
    std::vector<index> pivots;
};
pivoted_factor pivoted_cholesky(matrix<double> a, double tolerance);

// A = RᵀR in place, for matrices that fill the memory. R replaces the upper half of A; entries below the diagonal are
// neither read nor written. Returns -1, or the first row whose pivot is not positive or not larger than the rounding
// error of its diagonal entry (4ε·aᵢᵢ). Checks the matrix.
index cholesky_in_place(matrix_view<double> a);
// B ← A⁻¹B for that R; the right-hand sides are the columns of B.
void cholesky_solve(matrix_view<const double> r, matrix_view<double> b);
// Every row x of B becomes R⁻ᵀx.
void cholesky_forward_solve_rows(matrix_view<const double> r, matrix_view<double> b);
// Every row x of B becomes R⁻¹x.
void cholesky_backward_solve_rows(matrix_view<const double> r, matrix_view<double> b);
// The diagonal of A⁻¹ from that R, (A⁻¹)ᵢᵢ = Σ_k (R⁻¹)ᵢₖ². R is overwritten.
std::vector<double> inverse_diagonal(matrix_view<double> r);

// A = RᵀR in place, for a solver that factors many matrices of one size. R replaces the upper triangle; entries below
// the diagonal are neither read nor written. Returns false if a pivot is not positive. This function and the next three
// do not check for NaN and infinity: the result of NaN is NaN.
bool cholesky_in_place(matrix<double>& a);
// Every row x of b becomes A⁻¹x, for R of cholesky_in_place().
void cholesky_solve(const matrix<double>& r, matrix_view<double> b);
// A = LLᵀ in float. L replaces the lower triangle. Returns false if a pivot is not positive.
bool cholesky_lower_in_place(matrix_view<float> a);
// Every row x of b becomes A⁻¹x, for L of cholesky_lower_in_place().
void cholesky_solve_rows(matrix_view<const float> l, matrix_view<float> b);

// Solves AX = B for a symmetric positive definite A with a factor in float, to the accuracy of double.
//
// A Cholesky decomposition in float takes half the time of one in double. With D = diag(aᵢᵢ), D^-½AD^-½ ≈ LLᵀ is
// factored in float, and M = D^½LLᵀD^½ preconditions conjugate gradients on A in double. They restart from the true
// residual until every right-hand side b satisfies
//     ‖b - Ax‖∞ <= √n ε ‖A‖∞‖x‖∞,   ε = 2⁻⁵³.
// This is the stopping rule of LAPACK's dsposv (Langou, Langou, Luszczek, Kurzak, Buttari, Dongarra 2006), which
// refines by plain steps x ← x + M⁻¹r. A step of conjugate gradients has the same cost, one product and one solve, and
// converges also where κ(A) times the rounding error of float is not small and refinement diverges (Higham, Mary 2022,
// section 4.3). The scaling by D keeps every entry in the range of float (Higham, Pranesh 2019).
//
// A factor in float may exist although A is not positive definite. Therefore one more right-hand side, of random signs,
// is solved. It has a component along every eigenvector of M⁻¹A, so its residual vanishes only when the Ritz values
// have found all eigenvalues. An eigenvalue that is negative, zero or tiny shows as pᵀAp <= 10⁻⁴ pᵀMp. In that case, if
// there is no factor, or if the steps do not suffice, nothing is solved, and the caller has to factor A in double.

struct mixed_result {
    bool solved = false;
    index products = 0;  // with A
    double residual = 0;  // maximum of ‖b - Ax‖∞/(‖A‖∞‖x‖∞) over the right-hand sides, computed in double
};

// Reads the upper half of `a`. Overwrites the lower half of `work`, diagonal included, with L; `work` may have any
// stride, and may lie in memory of `a` that is not read (see mixed_matrix). Every row of `b` is a right-hand side. If
// all are solved, the rows become the solutions; otherwise `b` is unchanged.
mixed_result mixed_cholesky_solve(matrix_view<const double> a, matrix_view<float> work, matrix_view<double> b);

// An n × n matrix of doubles of which only the upper half is used, with L in float in the memory of the lower half.
class mixed_matrix {
public:
    explicit mixed_matrix(index n) : n_(n) { data_.resize_uninitialised(n * (n + 1)); }
    // The upper half in double lies in the same memory as the lower half in float. One unused double precedes each row.
    // So i + 1 doubles, the memory of the 2(i + 1) floats that the lower half may use, precede the diagonal entry of
    // row i.
    matrix_view<double> upper() { return {data_.data() + 1, n_, n_, n_ + 1}; }
    matrix_view<float> lower() { return {reinterpret_cast<float*>(data_.data()), n_, n_, 2 * (n_ + 1)}; }

private:
    buffer<double> data_;
    index n_;
};

// A = LLᵀ in place without a BLAS library, which programs that start in a millisecond do not load. L replaces the lower
// triangle; the entries above the diagonal are overwritten with meaningless numbers. Returns false if a pivot is not
// positive. Does not check for NaN and infinity.
bool blocked_cholesky(matrix<double>& a);
// Solves LLᵀz = b: z replaces b.
void blocked_cholesky_solve(const matrix<double>& L, std::vector<double>& b);

// Triangular solves and Cholesky factors with the arguments of BLAS and LAPACK, on column-major matrices. The work is
// divided into tiles of a fixed size (gemm.h), so results are bit-identical for any number of threads.
namespace blas {

// B ← op(A)⁻¹B (side "L") or B·op(A)⁻¹ ("R"), B of m × n, for the lower ("L") or upper ("U") triangle `half` of A.
template <class T>
void trsm(const char* side, const char* half, const char* op, int m, int n, const T* a, int lda, T* b, int ldb);
// A = LLᵀ (half "L") or UᵀU ("U") in place. Returns LAPACK's info: 0, or the order of the leading minor that is not
// positive.
template <class T>
int potrf(const char* half, int n, T* a, int lda);

}  // namespace blas
}  // namespace mercer
