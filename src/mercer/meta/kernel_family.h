// Several kernels on one set of objects, of which a sum with weights is to be learnt.
//
// Kernels differ in size: each is divided by the variance of the objects in its feature space, tr K/n - 1ᵀK1/n²
// (Zien, Ong 2007), so that equal weights mean equal shares. What is learnt is an ordinary kernel again, Σ (dₘ/sₘ)·kₘ.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// The summands of an expression, without their factors: rbf(gamma=1), linear() of 0.5*rbf(gamma=1) + 2*linear().
std::vector<kernel> summands(const kernel& k);
// The same of a text in which factors may be left open: ?*rbf(gamma=1) + ?*linear().
std::vector<kernel> summands(std::string_view text);
// Σ factors·parts, without those whose factor is 0; one of them is kept where all are.
kernel weighted_sum(std::span<const kernel> parts, std::span<const double> factors);

class kernel_family {
public:
    // balance: divide each by its variance; else all scales are 1. Matrices of float values, and of double ones beside
    // them, are kept where they take at most memory_bytes.
    kernel_family(std::vector<kernel> parts, dataset x, bool balance, std::size_t memory_bytes);

    index count() const { return static_cast<index>(parts_.size()); }
    index size() const { return x_.size(); }
    const std::vector<kernel>& parts() const { return parts_; }
    const std::vector<double>& scales() const { return scales_; }
    const dataset& objects() const { return x_; }

    kernel sum(std::span<const double> weights) const;
    // Values of the sum in float: from the matrices in memory where they are there.
    std::unique_ptr<gram<float>> fast(std::span<const double> weights) const;
    std::unique_ptr<gram<double>> exact(std::span<const double> weights) const;  // and in double
    // out = K/s of part m times the columns of v; in double, or from values in float where those are at hand.
    void multiply(index m, matrix_view<const double> v, matrix_view<double> out, bool exact) const;

private:
    void keep(const kernel& k);

    std::vector<kernel> parts_;
    dataset x_;
    std::vector<double> scales_;
    std::vector<matrix<float>> kept_;         // empty: too large
    std::vector<matrix<double>> kept_exact_;  // likewise
};

}  // namespace mercer
