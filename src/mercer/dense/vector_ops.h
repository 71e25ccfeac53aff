// Loops over vectors of numbers, one implementation per instruction set, chosen at run time.
#pragma once

#include <cstdint>

namespace mercer::smo {

inline constexpr std::int64_t update_rows = 6;  // of rank_update and row_update, whatever the instruction set

struct vector_ops {
    const char* name;
    // F[i] -= Σ_r delta[r]·row[r][i], i < count
    void (*subtract_rows)(double* F, const float* const* row, const double* delta, std::int64_t rows,
                          std::int64_t count);
    // The same for rows in double.
    void (*subtract_double_rows)(double* F, const double* const* row, const double* delta, std::int64_t rows,
                                 std::int64_t count);
    // The largest F where α < u and the smallest F where α > l (-∞ / +∞ where there is none).
    void (*extremes)(const double* F, const double* alpha, const double* lower, const double* upper, std::int64_t count,
                     double& max_up, double& min_low);
    // Σ_j a[j]·b[j]
    double (*dot)(const double* a, const double* b, std::int64_t count);
    // C(r, c) -= Σ_k A[k·update_rows + r]·B[k·update_cols + c], r < update_rows, c < update_cols: the heart of a
    // blocked Cholesky and of products of matrices
    std::int64_t update_cols;
    void (*rank_update)(double* C, std::int64_t stride, const double* A, const double* B, std::int64_t depth);
    // The same in float, update_cols_float columns.
    std::int64_t update_cols_float;
    void (*rank_update_float)(float* C, std::int64_t stride, const float* A, const float* B, std::int64_t depth);
    // C(r, c) += Σ_k A[r·a_stride + k]·B[k·update_cols + c]: the same with the rows of A where they lie
    void (*row_update)(double* C, std::int64_t stride, const double* A, std::int64_t a_stride, const double* B,
                       std::int64_t depth);
    // C[r·width + c] += Σ_k A(r, k)·B[k·width + c], r < narrow_rows, c < width, a multiple of narrow_cols: A(r, k) is
    // A[r·a_stride + k], or A[k·a_stride + r]. Meanwhile ahead[0 … narrow_ahead·depth-1] is fetched from memory,
    // unless it is null.
    std::int64_t narrow_rows, narrow_cols, narrow_ahead;
    void (*narrow_update)(double* C, const double* A, std::int64_t a_stride, bool a_turned, const double* B,
                          std::int64_t width, std::int64_t depth, const double* ahead);
    // out[m] = Σ_j a[j]·b[m·stride + j] for m < terms, in double
    void (*dots)(const float* a, const double* b, std::int64_t stride, std::int64_t terms, std::int64_t count,
                 double* out);
    // out[i·terms + m] = Σ_j a[i·a_stride + j]·b[m·b_stride + j] for i < rows, m < terms, in float
    void (*products)(const float* a, std::int64_t a_stride, std::int64_t rows, const float* b, std::int64_t b_stride,
                     std::int64_t terms, std::int64_t count, float* out);
};

const vector_ops& best_vector_ops();

namespace avx512 {
const vector_ops& ops();
}
namespace avx2 {
const vector_ops& ops();
}
namespace baseline {
const vector_ops& ops();
}

}  // namespace mercer::smo
