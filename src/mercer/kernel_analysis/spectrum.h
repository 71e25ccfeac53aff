// The eigendecomposition K = UΛUᵀ of a Gram matrix, and how many dimensions of feature space the data fill.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct gram_spectrum {
    std::vector<double> values;  // descending
    matrix<double> vectors;      // row k is the eigenvector of values[k]: Uᵀ; empty when only values were asked for
    double tolerance = 0;        // n·ε·max|λ|: what rounding alone may leave of an eigenvalue 0

    index size() const { return static_cast<index>(values.size()); }
    index rank() const;      // how many |λ| > tolerance
    index negative() const;  // how many λ < -tolerance
    // exp of the entropy of |λ|/Σ|λ| (Roy and Vetterli 2007): n for the identity, 1 for rank one; 0 for K = 0.
    double effective_rank() const;
    // Σ_{i<=k} |λᵢ| / Σ |λ| for k = 1 … n, |λ| falling; all 0 for K = 0.
    std::vector<double> cumulative_share() const;
};

gram_spectrum decompose(const gram<double>& k, eigen_parts wanted = eigen_parts::values_and_vectors);

// The empirical feature map: vectors whose inner products are the kernel's values, for a kernel on anything.
//     training object i ↦ Λ^½ Uᵀ eᵢ,     new x ↦ Λ^(-½) Uᵀ k(X, x),     K = UΛUᵀ.
// Eigenvalues up to n·ε·λ_max are dropped; a matrix with a clearly negative one has no such map and is refused
// (repair.h). φ(x)ᵀφ(xᵢ) = k(x, xᵢ) for training xᵢ and every x; between two new objects it is k up to what lies
// outside the span of the training objects.

class empirical_map {
public:
    // max_size: keep only the largest so many dimensions.
    empirical_map(const kernel& k, dataset x, std::optional<index> max_size = {});
    explicit empirical_map(const gram<double>& k, std::optional<index> max_size = {});

    index size() const { return static_cast<index>(root_.size()); }  // dimensions kept
    index objects() const { return vectors_.cols(); }                // training objects
    double tolerance() const { return tolerance_; }                  // eigenvalues up to here were dropped
    double discarded() const { return discarded_; }  // Σ of the eigenvalues dropped: what is lost of tr K

    // n × size: row i is the image of training object i.
    dense<double> training() const;
    // The images of new objects; needs the kernel and the data, not only a matrix.
    dense<double> transform(const dataset& z) const;
    // The same from row i = k(zᵢ, x₁ … xₙ).
    dense<double> transform_rows(matrix_view<const double> rows) const;

private:
    void build(const gram<double>& k, std::optional<index> max_size);

    std::optional<kernel> k_;
    dataset x_;
    std::vector<double> root_;  // √λ
    matrix<double> vectors_;    // size × n: Uᵀ
    double tolerance_ = 0;
    double discarded_ = 0;
};

// K = PᵀP, the second of Mercer's three equivalent conditions: column i of P is a feature vector of object i.

struct gram_factor {
    matrix<double> p;           // rank × n
    std::vector<index> pivots;  // the objects that span the feature space to within the tolerance, most telling first
    double tolerance = 0;       // the factorisation ended when no remaining diagonal entry was larger
    double residual = 0;        // ‖K - PᵀP‖_F is at most this, rounding included
    double relative = 0;        // residual/‖K‖_F, 0 for K = 0
    double allowed = 0;         // what the residual of a positive semidefinite K is at most

    // K = PᵀP to within the tolerance. Otherwise K is not positive semidefinite, and no P is a factor of it.
    bool holds() const { return residual <= allowed; }

    index rank() const { return p.rows(); }
};

// Pivoted Cholesky. tolerance < 0 stands for n·ε·max Kᵢᵢ. Of a positive semidefinite K what is left is so too, with no
// diagonal entry above the tolerance: its norm is at most its trace, (n - rank)·tolerance, and rounding. A larger
// residual shows that K is not.
gram_factor factorise(const gram<double>& k, double tolerance = -1);

// Repairs for a symmetric matrix K = UΛUᵀ that is not positive semidefinite, each with its map for new objects.
//     clip   λ ↦ max(λ, 0)        the nearest positive semidefinite matrix in the Frobenius norm
//     flip   λ ↦ |λ|
//     shift  λ ↦ λ - min(λ_min, 0)   only the diagonal changes
// For a row r = (k(x, x₁), …, k(x, xₙ)) of a new x, clip and flip take rP with P = U·1[λ>0]·Uᵀ or U·sign(λ)·Uᵀ, which
// turns the rows of K into the rows of the repaired matrix. Shift leaves the rows of new objects alone and adds its
// amount at k(xᵢ, xᵢ).

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
