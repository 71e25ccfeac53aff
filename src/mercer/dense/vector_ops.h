// The inner loops of the SMO solver, one implementation per instruction set, chosen at run time.
#pragma once

#include <cstdint>

namespace mercer::smo {

// A small problem solved pair by pair inside the caches:
//   min ½αᵀKα - pᵀα, l <= α <= u, Σα fixed within each group; F = p - Kα is kept up to date.
// Variables of group g stand at positions begin[g] … end[g]; both are whole vectors, the padding has up = -∞ and low =
// +∞.
template <class R>
struct inner_problem {
    std::int64_t size = 0;     // padded
    std::int64_t stride = 0;   // of K
    const float* K = nullptr;  // size × size, rows of padding are never read
    const float* diagonal = nullptr;
    R* F = nullptr;
    R* up = nullptr;   // 0 where α < u, else -∞ (see tube)
    R* low = nullptr;  // 0 where α > l, else +∞
    double* alpha = nullptr;
    const double* lower = nullptr;
    const double* upper = nullptr;
    std::int64_t begin[2] = {0, 0};
    std::int64_t end[2] = {0, 0};
    int groups = 1;
    double enough = 0;  // stop when max_up F - min_low F <= enough in every group
    std::int64_t most_steps = 0;
    double tau = 1e-12;  // curvature used where the true one is not positive
    // + tube·Σ|α|: ε-regression with one variable for each example. Where α stands, up and low then hold what that term
    // adds to F when α grows or falls (∓tube instead of 0), and a step ends at α = 0 at the latest.
    double tube = 0;
    // results
    std::int64_t steps = 0;
    std::int64_t flat_steps = 0;     // curvature zero up to rounding: twins
    std::int64_t concave_steps = 0;  // negative curvature: the kernel is not positive semidefinite
    double gap = 0;
};

inline constexpr std::int64_t update_rows = 6;  // of rank_update and row_update, whatever the instruction set

struct vector_ops {
    const char* name;
    std::int64_t padding;  // groups start at multiples of this
    void (*solve_float)(inner_problem<float>& problem);
    void (*solve_double)(inner_problem<double>& problem);
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
