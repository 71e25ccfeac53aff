// Explicit feature maps: φ with φ(x)ᵀφ(z) = k(x, z), for the kernels on vectors whose feature space is finite (linear,
// polynomial, all-subsets, bilinear, constant, maps a user wrote, and what the algebra makes of them except exp), and a
// truncated one for the Gaussian on numbers.
//
//     feature_map phi(polynomial{.degree = 2}, 2);      // (x'z)² in the plane
//     phi.names();                                      // "x1^2", "sqrt2*x1*x2", "x2^2"
//     phi.apply(x);                                     // one row for each x
//
// Features stand by degree, then by the order of the coordinates: 1, x1, x2, x1², x1x2, x2². Equal monomials are one
// feature.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

class feature_map {
public:
    // For vectors of `dims` coordinates. Refuses, naming it, a part that has no finite map; more than `limit` features;
    // and a combination in which a monomial has a negative weight, for which no map exists; and more than `most_steps`
    // of work (monomial_expansion.h).
    feature_map(const kernel& k, index dims, index limit = 1'000'000, double most_steps = 1e8);

    index dims() const { return dims_; }
    index size() const { return static_cast<index>(root_.size()); }
    std::string name(index feature) const;
    std::vector<std::string> names() const;
    dense<double> apply(const dataset& x) const;

private:
    index dims_ = 0;
    std::vector<double> weight_;      // of m(x)m(z) in k(x, z)
    std::vector<double> root_;        // its root: the factor of m(x) in the feature
    std::vector<std::size_t> start_;  // factors of monomial t: factors_[start_[t]] … factors_[start_[t + 1] - 1]
    std::vector<int> factors_;
    std::shared_ptr<const map_builder> atoms_;
};

// exp(-γ(x-z)²) = e^(-γx²) e^(-γz²) Σₖ (2γxz)^k/k!, cut after `terms` terms: feature k is e^(-γx²) √((2γ)^k/k!) x^k.
class truncated_gaussian_map {
public:
    truncated_gaussian_map(double gamma, index terms);
    // As few terms as make the error at most `tolerance` for all |x|, |z| <= radius.
    static truncated_gaussian_map within(double gamma, double radius, double tolerance);

    double gamma() const { return gamma_; }
    index size() const { return terms_; }
    // |φ(x)ᵀφ(z) - k(x, z)| <= this for |x|, |z| <= radius. With t = 2γ|xz| the rest is at most e^(-t) Σ_{k >= terms}
    // t^k/k!, the chance that a Poisson variable of mean t is >= terms, which grows with t <= 2γ·radius².
    double error_bound(double radius) const;
    // x: vectors of one coordinate.
    dense<double> apply(const dataset& x) const;

private:
    double gamma_;
    index terms_;
};

}  // namespace mercer
