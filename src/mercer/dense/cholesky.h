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
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

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

}  // namespace mercer

namespace mercer::smo {

// A = LLᵀ in place, without BLAS: the programs that start in a millisecond do not load one (dense_algebra.h has
// LAPACK's).

// L replaces the lower triangle; what is above the diagonal is overwritten with nothing of meaning. False where a pivot
// is not positive.
bool blocked_cholesky(matrix<double>& a);
// Solves LLᵀz = b in place.
void solve_cholesky(const matrix<double>& L, std::vector<double>& b);

}  // namespace mercer::smo
