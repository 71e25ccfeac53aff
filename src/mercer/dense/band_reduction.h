// A symmetric matrix as A = QBQᵀ with B of a narrow band: after one such reduction every A + λI costs O(n·band²) to
// factor, so a whole path of λ costs little more than the reduction. It needs 4/3 n³ operations, nearly all in matrix
// products; a tridiagonal matrix needs as many but half of them in matrix-vector products that wait for the memory, and
// eigenvectors about 9 n³.
//
// The reduction is LAPACK's dsytrd_sy2sb (Bischof, Lang, Sun 2000). B + λI = LDLᵀ, and the trace of the inverse comes
// from the entries of the inverse within the band, last column first (Takahashi, Fagan, Chin 1973; Erisman, Tinney
// 1975):
//     Z_Jj = -Z_JJ l_j,   z_jj = 1/d_j - l_jᵀZ_Jj,   J the rows of column j of L below its diagonal.
//
// The diagonal of the inverse, (A + λI)⁻¹ᵢᵢ = ‖L⁻¹qᵢ‖² with B + λI = LLᵀ and qᵢ the i-th row of Q, needs Q itself, 4/3
// n³ operations more, and 2n²·band operations per λ: half solves for a few rows of Q at a time, which stay in the
// caches for all λ.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

class band_reduction {
public:
    static constexpr index band =
        48;  // measured: 16 costs a third more, 64 gains a few per cent in the reduction and loses them per λ
    static constexpr index smallest_n = 128;  // below, LAPACK does not reduce at all

    // Reads the upper half of `a` and keeps Q there: `a` is borrowed and must stay as it is. n >= smallest_n.
    explicit band_reduction(matrix_view<double> a);
    index size() const { return a_.rows; }

    // B ← QᵀB and B ← QB for columns of n numbers, each column contiguous (a row of the view).
    void turn(matrix_view<double> columns) const;
    void turn_back(matrix_view<double> columns) const;

    // (B + λI)⁻¹ applied to each contiguous column, and tr (B + λI)⁻¹; nothing when a pivot is not positive. Safe to
    // call from several threads.
    std::optional<double> solve(double lambda, matrix_view<double> columns) const;
    // The same without the trace; false when a pivot is not positive.
    bool solve_only(double lambda, matrix_view<double> columns) const;

    // Row i: (A + λI)⁻¹ᵢᵢ of every λ; empty when a pivot is not positive, and then `bad` is the place of that λ. Needs
    // n² numbers for Q and n·(band + 12) for each λ while it works.
    matrix<double> inverse_diagonals(std::span<const double> lambdas, index& bad) const;

private:
    const double* factored(double lambda) const;
    void substitute(const double* factor, matrix_view<double> columns) const;
    matrix<double> q_columns() const;
    void apply(char trans, matrix_view<double> columns) const;
    matrix_view<double> a_;
    matrix<double> diagonals_;  // row j: B(j, j), B(j+1, j), …
    std::vector<double> tau_;
};

}  // namespace mercer
