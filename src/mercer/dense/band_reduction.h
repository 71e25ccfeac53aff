// A symmetric matrix as A = QBQᵀ with a matrix B of narrow band. After one such reduction, the factor of A + λI takes
// O(n·band²) operations for every λ, so a whole path over λ costs little more than the reduction. The reduction takes
// 4/3 n³ operations, nearly all in matrix products. A reduction to tridiagonal form takes the same number, but half of
// them in matrix-vector products, whose speed is limited by the memory; eigenvectors take about 9 n³.
//
// The reduction is LAPACK's dsytrd_sy2sb (Bischof, Lang, Sun 2000). With B + λI = LDLᵀ, the trace of the inverse Z
// needs only the entries of Z within the band. They are computed from the last column to the first (Takahashi, Fagan,
// Chin 1973; Erisman, Tinney 1975):
//     Z_Jj = -Z_JJ l_j,   z_jj = 1/d_j - l_jᵀZ_Jj,   J the rows of column j of L below its diagonal.
//
// The diagonal of the inverse is (A + λI)⁻¹ᵢᵢ = ‖L⁻¹qᵢ‖² with B + λI = LLᵀ and qᵢ the i-th row of Q. It needs Q itself,
// 4/3 n³ operations more, and 2n²·band operations per λ for forward substitutions. A few rows of Q are processed at a
// time; they stay in the caches for all λ.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

class band_reduction {
public:
    static constexpr index band =
        48;  // measured: 16 takes a third longer, 64 saves a few per cent of the reduction and loses them per λ
    static constexpr index min_n = 128;  // dsytrd_sy2sb does not reduce smaller matrices

    // Reads the upper half of `a` and stores Q in it. `a` is not copied and must not be changed while this object
    // lives. n >= min_n.
    explicit band_reduction(matrix_view<double> a);
    index size() const { return a_.rows; }

    // V ← QᵀV and V ← QV for vectors of n numbers, which are the rows of the view.
    void apply_qt(matrix_view<double> columns) const;
    void apply_q(matrix_view<double> columns) const;

    // Multiplies each vector (a row of the view) by (B + λI)⁻¹ and returns tr (B + λI)⁻¹; nullopt if a pivot is not
    // positive. Can be called from several threads.
    std::optional<double> solve(double lambda, matrix_view<double> columns) const;
    // The same without the trace. Returns false if a pivot is not positive.
    bool solve_without_trace(double lambda, matrix_view<double> columns) const;

    // Row i holds (A + λI)⁻¹ᵢᵢ for every λ. The result is empty if a pivot is not positive, and `bad` is then the
    // position of that λ. The computation needs memory for n² numbers (Q) and n·(band + 12) numbers for each λ.
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
