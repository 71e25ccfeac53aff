// Repairs for a symmetric matrix K = UΛUᵀ that is not positive semidefinite, each with its map for new objects.
//     clip   λ ↦ max(λ, 0)        the nearest positive semidefinite matrix in the Frobenius norm
//     flip   λ ↦ |λ|
//     shift  λ ↦ λ - min(λ_min, 0)   only the diagonal changes
// For a row r = (k(x, x₁), …, k(x, xₙ)) of a new x, clip and flip take rP with P = U·1[λ>0]·Uᵀ or U·sign(λ)·Uᵀ, which
// turns the rows of K into the rows of the repaired matrix. Shift leaves the rows of new objects alone and adds its
// amount at k(xᵢ, xᵢ).
#pragma once

#include <span>

#include "mercer/gram/gram.h"

namespace mercer {

enum class repair_method { clip, flip, shift };
const char* name(repair_method method) noexcept;

struct repaired_gram {
    repair_method method = repair_method::clip;
    matrix<double> k;               // the repaired matrix
    matrix<double> transform;       // P, n × n; empty for shift
    double shift = 0;               // what was added to the diagonal; 0 for clip and flip
    index negative = 0;             // eigenvalues of K below 0
    double smallest = 0;            // the smallest eigenvalue of K, 0 for n = 0
    double frobenius_change = 0;    // ‖K̃ - K‖_F
    double spectral_change = 0;     // ‖K̃ - K‖₂
    double relative_frobenius = 0;  // ‖K̃ - K‖_F/‖K‖_F; 0 for K = 0
    double relative_spectral = 0;   // ‖K̃ - K‖₂/‖K‖₂

    index size() const { return k.rows(); }
    // Row i = k(zᵢ, x₁ … xₙ) becomes the repaired row. training[i] is the number of the training object that zᵢ is, or
    // -1; empty: none is one. Only shift looks at it.
    matrix<double> extend(matrix_view<const double> rows, std::span<const index> training = {}) const;
};

repaired_gram repair(const gram<double>& k, repair_method method);

}  // namespace mercer
