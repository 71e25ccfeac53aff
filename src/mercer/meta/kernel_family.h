// A family of kernels on the same objects, for learning the weights of their sum.
//
// Each kernel is divided by the variance of the objects in its feature space, tr K/n - 1ᵀK1/n² (Zien, Ong 2007), so
// that equal weights mean equal shares. The learned kernel is an ordinary kernel expression Σ (dₘ/sₘ)·kₘ.
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

// The summands of an expression without their factors: rbf(gamma=1) and linear() for 0.5*rbf(gamma=1) + 2*linear().
std::vector<kernel> summands(const kernel& k);
// The same for a text in which factors may be open: ?*rbf(gamma=1) + ?*linear().
std::vector<kernel> summands(std::string_view text);
// Σ factors·parts without the terms whose factor is 0; the first part if all factors are 0.
kernel weighted_sum(std::span<const kernel> parts, std::span<const double> factors);

class kernel_family {
public:
    // balance: divide each kernel by its variance; otherwise all divisors are 1. Kernel matrices in float, and in
    // addition in double, are stored if they fit into memory_bytes.
    kernel_family(std::vector<kernel> parts, dataset x, bool balance, std::size_t memory_bytes);

    index count() const { return static_cast<index>(parts_.size()); }
    index size() const { return x_.size(); }
    const std::vector<kernel>& parts() const { return parts_; }
    const std::vector<double>& scales() const { return scales_; }
    const dataset& objects() const { return x_; }

    kernel sum(std::span<const double> weights) const;
    // The matrix of the sum in float; uses the stored matrices if there are any.
    std::unique_ptr<gram<float>> fast(std::span<const double> weights) const;
    std::unique_ptr<gram<double>> exact(std::span<const double> weights) const;  // the same in double
    // out = (K/s)·v for part m; in double, or from stored float values unless `exact`.
    void multiply(index m, matrix_view<const double> v, matrix_view<double> out, bool exact) const;

private:
    void store(const kernel& k);

    std::vector<kernel> parts_;
    dataset x_;
    std::vector<double> scales_;
    std::vector<matrix<float>> stored_;         // empty if they do not fit
    std::vector<matrix<double>> stored_exact_;  // likewise
};

}  // namespace mercer
