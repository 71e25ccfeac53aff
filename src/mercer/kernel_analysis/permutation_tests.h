// Permutation tests with kernels: a two-sample test (do two samples come from the same distribution?) and a test of
// independence (are two properties of the same objects independent?).
//
// The p-value is (1 + #{permutations whose statistic is at least the observed one})/(1 + permutations), so that P(p <=
// α) <= α holds exactly under the null hypothesis.
//
// Two samples: the squared maximum mean discrepancy (Gretton et al. 2012) is the squared distance of the mean
// embeddings of the samples. With K the matrix of both samples together, m objects of the first and n of the second:
//     biased     ‖μ_x - μ_z‖² = aᵀKa,  aᵢ = 1/m or -1/n
//     unbiased   Σ_{i≠j} K_xx/(m(m-1)) + Σ_{i≠j} K_zz/(n(n-1)) - 2 ΣK_xz/(mn), which can be negative
// The permutations are random splits of the union into samples of the same sizes.
//
// Independence of two properties of the same objects: the Hilbert-Schmidt independence criterion (Gretton et al. 2005,
// 2008) of the matrices K and L of the two properties,
//     HSIC = tr(KHLH)/n²,   H = I - 11ᵀ/n,
// is the squared norm of their cross-covariance in feature space. For characteristic kernels its limit is 0 only if the
// properties are independent. The permutations are random pairings of the objects.
//
// Example:
//
//     const double first[] = {0, 1, 2, 3, 4, 5, 6, 7}, second[] = {20, 21, 22, 23, 24, 25, 26, 27};
//     const dataset x = dense<double>({first, 8, 1}), z = dense<double>({second, 8, 1});
//     const two_sample_result found = two_sample_test(gaussian{0.1}, x, z, {.permutations = 500});
//     assert(found.p_value < 0.05);
#pragma once

#include <cstdint>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

// Options of two_sample_test().
struct two_sample_options {
    enum class statistic { biased, unbiased } kind = statistic::unbiased;
    index permutations = 1000;
    std::uint64_t seed = 0;
    // K is stored if half of it takes at most this memory; otherwise K is computed again for every 64 permutations
    std::size_t memory_bytes = std::size_t{1} << 30;
    progress_callback progress{};  // returns false to stop: the p-value then uses the permutations so far
};

// The result of two_sample_test().
struct two_sample_result {
    double biased = 0, unbiased = 0;  // MMD²; unbiased is 0 if a sample has only one object
    double p_value = 1;               // p-value of options.kind
    index permutations = 0;
};

// Tests whether x and z come from the same distribution; a small p-value is evidence that they do not. Throws
// errc::invalid_argument if a sample is empty or, for the unbiased statistic, has only one object.
two_sample_result two_sample_test(const kernel& k, const dataset& x, const dataset& z,
                                  const two_sample_options& options = {});
// K is the kernel matrix of both samples together: the first `first` rows belong to the first sample. One pass over K
// serves 64 permutations.
two_sample_result two_sample_test(const gram<double>& K, index first, const two_sample_options& options = {});

// Options of independence_test().
struct independence_options {
    index permutations = 1000;
    std::uint64_t seed = 0;
    // Both matrices are stored and take 16n² bytes; throws errc::memory if that exceeds this limit.
    std::size_t memory_bytes = std::size_t{1} << 30;
    progress_callback progress{};  // returns false to stop: the p-value then uses the permutations so far
};

// The result of independence_test().
struct independence_result {
    double hsic = 0;
    double alignment = 0;  // centred kernel alignment HSIC/√(HSIC(K,K)·HSIC(L,L)), 0 to 1
    double p_value = 1;
    index permutations = 0;
};

// Tests whether two properties of the same n objects are independent; a small p-value is evidence that they are not.
// Element i of x and element i of y are the two properties of object i; k compares the first properties, l the second.
// K and L are the n × n matrices of the two properties. Throws errc::invalid_argument if x and y, or K and L, differ in
// size.
independence_result independence_test(const kernel& k, const dataset& x, const kernel& l, const dataset& y,
                                      const independence_options& options = {});
independence_result independence_test(const gram<double>& K, const gram<double>& L,
                                      const independence_options& options = {});

}  // namespace mercer
