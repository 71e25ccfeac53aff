// The eigendecomposition K = UΛUᵀ of an n × n Gram matrix, its rank, and what is derived from it: the empirical feature
// map, a factor K = PᵀP, and repairs of a matrix that is not positive semidefinite.
//
// Example:
//
//     const double numbers[] = {2, 1, 1, 2}, wrong[] = {1, 2, 2, 1};
//     const precomputed<double> K{matrix_view<const double>(numbers, 2, 2)};
//     const gram_spectrum eigen = decompose(K);
//     assert(std::abs(eigen.values[0] - 3) < 1e-12 && eigen.rank() == 2);
//     assert(factorise(K).holds());
//     const precomputed<double> indefinite{matrix_view<const double>(wrong, 2, 2)};  // eigenvalues 3 and -1
//     assert(!factorise(indefinite).holds());
//     assert(repair(indefinite, repair_method::clip).negative == 1);
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// The eigenvalues and eigenvectors of a Gram matrix.
struct gram_spectrum {
    std::vector<double> values;  // descending
    matrix<double> vectors;      // row k is the eigenvector of values[k] (Uᵀ); empty if only values were requested
    double tolerance = 0;        // n·ε·max|λ|, ε = 2⁻⁵²: bound on the rounding error of an eigenvalue

    index size() const { return static_cast<index>(values.size()); }
    index rank() const;      // number of |λ| > tolerance
    index negative() const;  // number of λ < -tolerance
    // The effective rank exp(entropy of |λ|/Σ|λ|) (Roy and Vetterli 2007): n for the identity, 1 for rank one, 0 for K
    // = 0.
    double effective_rank() const;
    // The share of the k largest |λ| in Σ|λ|, for k = 1 … n; all 0 for K = 0.
    std::vector<double> cumulative_share() const;
};

// Decomposes a symmetric matrix by LAPACK: time O(n³), memory 2n² numbers. Throws errc::invalid_argument unless K is
// square and symmetric to 1e-12 of its largest entry, and errc::data if an entry is NaN or infinite.
gram_spectrum decompose(const gram<double>& k, eigen_parts wanted = eigen_parts::values_and_vectors);

// The empirical feature map: vectors whose inner products are the kernel values, for kernels on any kind of object.
//     training object i ↦ Λ^½ Uᵀ eᵢ,     new x ↦ Λ^(-½) Uᵀ k(X, x),     K = UΛUᵀ.
// Eigenvalues up to n·ε·λ_max are dropped. Throws errc::not_psd if an eigenvalue is below -n·ε·λ_max (see repair()).
// φ(x)ᵀφ(xᵢ) = k(x, xᵢ) for training objects xᵢ and every x; for two new objects φ(x)ᵀφ(z) lacks the part of k(x, z)
// outside of the span of the training objects.

class empirical_map {
public:
    // max_size: keep only this number of dimensions, those of the largest eigenvalues; none: keep all.
    empirical_map(const kernel& k, dataset x, std::optional<index> max_size = {});
    explicit empirical_map(const gram<double>& k, std::optional<index> max_size = {});

    index size() const { return static_cast<index>(root_.size()); }  // number of dimensions kept
    index objects() const { return vectors_.cols(); }                // number of training objects
    double tolerance() const { return tolerance_; }                  // eigenvalues up to this value were dropped
    double discarded() const { return discarded_; }  // sum of the dropped |λ|: the part of tr K that is lost

    // n × size(); row i is the image of training object i.
    dense<double> training() const;
    // The images of new objects, one row for each. Throws errc::invalid_argument if the map was made from a matrix
    // without its kernel.
    dense<double> transform(const dataset& z) const;
    // The images of new objects from kernel values: row i = k(zᵢ, x₁ … xₙ).
    dense<double> transform_rows(matrix_view<const double> rows) const;

private:
    void build(const gram<double>& k, std::optional<index> max_size);

    std::optional<kernel> k_;
    dataset x_;
    std::vector<double> root_;  // √λ of the kept dimensions
    matrix<double> vectors_;    // size × n: rows of Uᵀ
    double tolerance_ = 0;
    double discarded_ = 0;
};

// A factor K = PᵀP, which exists if and only if K is symmetric and positive semidefinite: column i of P is a feature
// vector of object i.

struct gram_factor {
    matrix<double> p;  // rank × n
    // objects whose images span the feature space to within the tolerance, in the order of the pivots
    std::vector<index> pivots;
    double tolerance = 0;  // the factorisation stops when no remaining diagonal entry is larger
    double residual = 0;   // upper bound of ‖K - PᵀP‖_F, including rounding
    double relative = 0;   // residual/‖K‖_F; 0 for K = 0
    double allowed = 0;    // upper bound of the residual if K is positive semidefinite

    // Returns true if K = PᵀP to within the tolerance. Otherwise K is not positive semidefinite and has no such factor.
    bool holds() const { return residual <= allowed; }

    index rank() const { return p.rows(); }
};

// Computes P by pivoted Cholesky factorisation, which ends when no diagonal entry of K - PᵀP exceeds `tolerance`; a
// negative tolerance means n·ε·max Kᵢᵢ. If K is positive semidefinite, so is K - PᵀP, and its norm is at most its
// trace, (n - rank)·tolerance, plus rounding. A larger residual proves that K is not positive semidefinite. The errors
// are those of decompose().
gram_factor factorise(const gram<double>& k, double tolerance = -1);

// Repairs of a symmetric matrix K = UΛUᵀ that is not positive semidefinite, each with its map for new objects:
//     clip   λ ↦ max(λ, 0)        the nearest positive semidefinite matrix in the Frobenius norm
//     flip   λ ↦ |λ|
//     shift  λ ↦ λ - min(λ_min, 0)   only the diagonal changes
// A row r = (k(x, x₁), …, k(x, xₙ)) of a new object x becomes rP with P = U·1[λ>0]·Uᵀ (clip) or U·sign(λ)·Uᵀ (flip),
// which also maps the rows of K to the rows of the repaired matrix. Shift leaves the rows of new objects unchanged and
// adds the shift to k(xᵢ, xᵢ).

enum class repair_method { clip, flip, shift };
const char* name(repair_method method) noexcept;

struct repaired_gram {
    repair_method method = repair_method::clip;
    matrix<double> k;               // repaired matrix K̃
    matrix<double> transform;       // P, n × n; empty for shift
    double shift = 0;               // amount added to the diagonal; 0 for clip and flip
    index negative = 0;             // number of eigenvalues of K below 0
    double smallest = 0;            // smallest eigenvalue of K; 0 for n = 0
    double frobenius_change = 0;    // ‖K̃ - K‖_F
    double spectral_change = 0;     // ‖K̃ - K‖₂
    double relative_frobenius = 0;  // ‖K̃ - K‖_F/‖K‖_F; 0 for K = 0
    double relative_spectral = 0;   // ‖K̃ - K‖₂/‖K‖₂

    index size() const { return k.rows(); }
    // Maps rows k(zᵢ, x₁ … xₙ) of kernel values to repaired rows. If zᵢ is a training object, training[i] is its
    // number, otherwise -1; an empty span means that no zᵢ is a training object. Only shift uses `training`.
    matrix<double> extend(matrix_view<const double> rows, std::span<const index> training = {}) const;
};

// Repairs a symmetric matrix. Throws errc::invalid_argument unless K is square and symmetric, and errc::data if an
// entry is NaN or infinite. Time O(n³).
repaired_gram repair(const gram<double>& k, repair_method method);

}  // namespace mercer
