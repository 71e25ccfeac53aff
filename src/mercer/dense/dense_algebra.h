// Decompositions of symmetric matrices held in memory, row-major, by LAPACK. Every function refuses NaN and infinity,
// which LAPACK would not survive, and a matrix larger than its 32-bit sizes allow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// A = Σₖ λₖ uₖuₖᵀ, λ ascending. Row k of `vectors` is uₖ, so `vectors` is Uᵀ; empty when only values were asked for.
struct eigen_system {
    std::vector<double> values;
    matrix<double> vectors;
};

enum class eigen_parts { values, values_and_vectors };

// Only one triangle of `a` is read.
eigen_system symmetric_eigen(matrix<double> a, eigen_parts wanted = eigen_parts::values_and_vectors);

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
// C ← C - A·Bᵀ
void subtract_product(matrix_view<const double> a, matrix_view<const double> b, matrix_view<double> c);
// diag A⁻¹ from that R, which is lost: (A⁻¹)ᵢᵢ = Σ_k (R⁻¹)ᵢₖ².
std::vector<double> inverse_diagonal(matrix_view<double> r);

// op(A)·op(B), op the transposition where asked for.
enum class transposed { no, yes };
matrix<double> product(matrix_view<const double> a, transposed a_turned, matrix_view<const double> b,
                       transposed b_turned);

// In place, for a solver that factors matrices of one size again and again. Unlike those above they check nothing: NaN
// in, NaN out. A = RᵀR: R replaces the upper triangle, the rest is neither read nor written. False where a pivot is not
// positive.
bool cholesky_in_place(matrix<double>& a);
// Every row of b is a right-hand side and becomes A⁻¹ of it, R from cholesky_in_place.
void cholesky_solve(const matrix<double>& r, matrix_view<double> b);
// Upper triangle of A += GᵀG.
void add_gram(matrix_view<const double> g, matrix<double>& a);
// A = LLᵀ in float: L replaces the lower triangle, and then every row of b becomes A⁻¹ of it.
bool cholesky_lower_in_place(matrix_view<float> a);
void cholesky_solve_rows(matrix_view<const float> l, matrix_view<float> b);
// out = A·v from the upper triangle of A; of each row of v.
void multiply_symmetric(matrix_view<const double> a, const double* v, double* out);
void multiply_symmetric(matrix_view<const double> a, matrix_view<const double> v, matrix_view<double> out);
// out += scale·A·v, out += scale·Aᵀ·v
void add_multiply(double scale, matrix_view<const double> a, transposed turned, const double* v, double* out);

// ‖A‖_F without overflow or underflow on the way.
double frobenius_norm(matrix_view<const double> a);
double largest_entry(matrix_view<const double> a);  // max |aᵢⱼ|
// Fails, naming row and column, at the first entry that is NaN or infinite.
void require_finite(matrix_view<const double> a, const std::string& owner);
// The same for what is on and above the diagonal.
void require_finite_half(matrix_view<const double> a, const std::string& owner);
// Fails, naming the entries, where |aᵢⱼ - aⱼᵢ| > 1e-8·max|a|, and unless A is square.
void require_symmetric(matrix_view<const double> a, const std::string& owner);

}  // namespace mercer
