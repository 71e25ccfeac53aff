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

// Returns the summands of an expression without their factors: rbf(gamma=1) and linear() for 0.5*rbf(gamma=1) +
// 2*linear().
std::vector<kernel> summands(const kernel& k);
// The summands without their factors of the text form of a sum, in which a factor may also be an open parameter:
// ?*rbf(gamma=1) + ?*linear().
std::vector<kernel> summands(std::string_view text);
// Returns the kernel Σ factors·parts without the terms whose factor is 0; the first part if all factors are 0.
kernel weighted_sum(std::span<const kernel> parts, std::span<const double> factors);

// The kernels with their divisors and, if they fit into memory, their matrices.
class kernel_family {
public:
    // balance: divide each kernel by its variance; otherwise all divisors are 1. The kernel matrices are stored in
    // float, and also in double, if they take at most memory_bytes. Throws errc::invalid_argument if there is no kernel
    // or one is not proven to be positive semidefinite, and errc::data if there are no objects or a value is not
    // finite.
    kernel_family(std::vector<kernel> parts, dataset x, bool balance, std::size_t memory_bytes);

    index count() const { return static_cast<index>(parts_.size()); }  // number of kernels
    index size() const { return x_.size(); }                           // number of objects
    const std::vector<kernel>& parts() const { return parts_; }
    const std::vector<double>& scales() const { return scales_; }
    const dataset& objects() const { return x_; }

    // Σ (weightₘ/sₘ)·kₘ as one kernel expression, with the divisors sₘ = scales()[m].
    kernel sum(std::span<const double> weights) const;
    // The matrix of the sum in float; uses the stored matrices if there are any.
    std::unique_ptr<gram<float>> fast(std::span<const double> weights) const;
    std::unique_ptr<gram<double>> exact(std::span<const double> weights) const;  // the matrix of the sum in double
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
