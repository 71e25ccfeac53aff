// The empirical feature map: vectors whose inner products are the kernel's values, for a kernel on anything.
//     training object i ↦ Λ^½ Uᵀ eᵢ,     new x ↦ Λ^(-½) Uᵀ k(X, x),     K = UΛUᵀ.
// Eigenvalues up to n·ε·λ_max are dropped; a matrix with a clearly negative one has no such map and is refused
// (repair.h). φ(x)ᵀφ(xᵢ) = k(x, xᵢ) for training xᵢ and every x; between two new objects it is k up to what lies
// outside the span of the training objects.
#pragma once

#include <optional>

#include "mercer/data/dataset.h"
#include "mercer/kernel_analysis/spectrum.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

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

}  // namespace mercer
