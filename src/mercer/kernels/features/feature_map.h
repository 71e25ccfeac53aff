// Explicit feature maps φ with φ(x)ᵀφ(z) = k(x, z) for kernels on vectors whose feature space has finite dimension
// (linear, polynomial, all-subsets, bilinear, constant, users' maps, and all expressions of them without exp), and a
// truncated feature map for the Gaussian on vectors of one coordinate.
//
// Features are ordered by degree, then lexicographically: 1, x1, x2, x1², x1x2, x2². Equal monomials form one feature.
//
// Example:
//
//     const feature_map phi(polynomial{.degree = 2}, 2);  // (xᵀz)² in the plane
//     assert(phi.names() == std::vector<std::string>({"x1^2", "sqrt2*x1*x2", "x2^2"}));
//     const double numbers[] = {3, 1};
//     const dense<double> features = phi.apply(dense<double>({numbers, 1, 2}));  // one row for each vector
//     assert(features.row(0)[0] == 9);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// The map φ of a kernel of finite dimension.
class feature_map {
public:
    // The map for vectors of `dims` coordinates. Throws errc::unsupported, naming the part, if a part has no finite
    // map; errc::not_psd if a monomial has a negative weight, so that no map exists; errc::memory for more than `limit`
    // features or more than `max_steps` steps of work (monomial_expansion.h).
    feature_map(const kernel& k, index dims, index limit = 1'000'000, double max_steps = 1e8);

    index dims() const { return dims_; }  // number of coordinates of x
    // number of features
    index size() const { return static_cast<index>(root_.size()); }
    std::string name(index feature) const;
    std::vector<std::string> names() const;
    // Returns φ(x) for every vector x: a row for each vector, a column for each feature.
    dense<double> apply(const dataset& x) const;

private:
    index dims_ = 0;
    std::vector<double> weight_;      // the weight of m(x)·m(z) in k(x, z)
    std::vector<double> root_;        // its square root, the factor of m(x) in the feature
    std::vector<std::size_t> start_;  // factors of monomial t: factors_[start_[t]] … factors_[start_[t + 1] - 1]
    std::vector<int> factors_;
    std::shared_ptr<const expansion_builder> atoms_;
};

// The Gaussian exp(-γ(x-z)²) = e^(-γx²) e^(-γz²) Σₖ (2γxz)^k/k!, truncated after `terms` terms; feature k is
// e^(-γx²) √((2γ)^k/k!) x^k.
class truncated_gaussian_map {
public:
    truncated_gaussian_map(double gamma, index terms);
    // The map with the smallest number of terms whose error bound is at most `tolerance` for all |x|, |z| <= radius.
    static truncated_gaussian_map within(double gamma, double radius, double tolerance);

    double gamma() const { return gamma_; }
    index size() const { return terms_; }
    // An upper bound of |φ(x)ᵀφ(z) - k(x, z)| for |x|, |z| <= radius. With t = 2γ|xz| the truncation error is at most
    // e^(-t) Σ_{k >= terms} t^k/k!, the probability that a Poisson variable of mean t is >= terms, which increases with
    // t <= 2γ·radius².
    double error_bound(double radius) const;
    // The features of vectors of one coordinate, one row for each.
    dense<double> apply(const dataset& x) const;

private:
    double gamma_;
    index terms_;
};

}  // namespace mercer
