// SIMD loops over vectors and small matrix tiles, one implementation per instruction set, chosen at run time.
#pragma once

#include <cstdint>

namespace mercer {

inline constexpr std::int64_t update_rows = 6;  // rows of rank_update and row_update for every instruction set

struct vector_ops {
    const char* name;
    // F[i] -= Σ_r delta[r]·row[r][i] for i < count.
    void (*subtract_rows)(double* F, const float* const* row, const double* delta, std::int64_t rows,
                          std::int64_t count);
    // The same for rows of doubles.
    void (*subtract_double_rows)(double* F, const double* const* row, const double* delta, std::int64_t rows,
                                 std::int64_t count);
    // The largest F[i] with α[i] < upper[i] and the smallest F[i] with α[i] > lower[i]; -∞ and +∞ if there is none.
    void (*extremes)(const double* F, const double* alpha, const double* lower, const double* upper, std::int64_t count,
                     double& max_up, double& min_low);
    // Σ_j a[j]·b[j]
    double (*dot)(const double* a, const double* b, std::int64_t count);
    // C(r, c) -= Σ_k A[k·update_rows + r]·B[k·update_cols + c] for r < update_rows, c < update_cols. C has rows of
    // `stride` numbers. The micro-kernel of matrix products and of blocked_cholesky().
    std::int64_t update_cols;
    void (*rank_update)(double* C, std::int64_t stride, const double* A, const double* B, std::int64_t depth);
    // The same in float, with update_cols_float columns.
    std::int64_t update_cols_float;
    void (*rank_update_float)(float* C, std::int64_t stride, const float* A, const float* B, std::int64_t depth);
    // C(r, c) += Σ_k A[r·a_stride + k]·B[k·update_cols + c]: a rank update whose A is not packed.
    void (*row_update)(double* C, std::int64_t stride, const double* A, std::int64_t a_stride, const double* B,
                       std::int64_t depth);
    // C[r·width + c] += Σ_k A(r, k)·B[k·width + c] for r < narrow_rows and c < width; `width` is a multiple of
    // narrow_cols. A(r, k) is A[r·a_stride + k], or A[k·a_stride + r] if a_transposed. Meanwhile ahead[0] …
    // ahead[narrow_ahead·depth - 1] are prefetched, unless `ahead` is null.
    std::int64_t narrow_rows, narrow_cols, narrow_ahead;
    void (*narrow_update)(double* C, const double* A, std::int64_t a_stride, bool a_transposed, const double* B,
                          std::int64_t width, std::int64_t depth, const double* ahead);
    // out[m] = Σ_j a[j]·b[m·stride + j] for m < terms, in double.
    void (*dots)(const float* a, const double* b, std::int64_t stride, std::int64_t terms, std::int64_t count,
                 double* out);
    // out[i·terms + m] = Σ_j a[i·a_stride + j]·b[m·b_stride + j] for i < rows, m < terms, in float.
    void (*products)(const float* a, std::int64_t a_stride, std::int64_t rows, const float* b, std::int64_t b_stride,
                     std::int64_t terms, std::int64_t count, float* out);
};

const vector_ops& best_vector_ops();

namespace avx512 {
const vector_ops& vector_loops();
}
namespace avx2 {
const vector_ops& vector_loops();
}
namespace baseline {
const vector_ops& vector_loops();
}

}  // namespace mercer
