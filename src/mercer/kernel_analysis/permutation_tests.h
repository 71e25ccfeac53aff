// Do two samples come from one distribution? The squared maximum mean discrepancy (Gretton et al. 2012) is the squared
// distance of the mean embeddings, with K the matrix of both samples together, m of the first and n of the second:
//     biased     ‖μ_x - μ_z‖² = aᵀKa,  aᵢ = 1/m or -1/n
//     unbiased   Σ_{i≠j} K_xx/(m(m-1)) + Σ_{i≠j} K_zz/(n(n-1)) - 2 ΣK_xz/(mn), which can be negative
// p-value: the share of `permutations` random splits of the union whose statistic is at least as large, this one
// counted: (1 + #)/(1 + permutations), so that under the null P(p <= α) <= α exactly.
#pragma once

#include <cstdint>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

struct two_sample_options {
    enum class statistic { biased, unbiased } kind = statistic::unbiased;
    index permutations = 1000;
    std::uint64_t seed = 0;
    std::size_t memory_bytes =
        std::size_t{1} << 30;  // K is kept where half of it fits; else it is computed again for every 64 permutations
    progress_callback progress{};  // false: the permutations so far are all
};

struct two_sample_result {
    double biased = 0, unbiased = 0;  // MMD²; unbiased is 0 where a sample has one object only
    double p_value = 1;               // of the statistic asked for
    index permutations = 0;
};

two_sample_result two_sample_test(const kernel& k, const dataset& x, const dataset& z,
                                  const two_sample_options& options = {});
// K is the matrix of the union, the first sample's objects first. One pass over K serves 64 permutations.
two_sample_result two_sample_test(const gram<double>& K, index first, const two_sample_options& options = {});

// Are two properties of the same objects independent? The Hilbert-Schmidt independence criterion (Gretton et al. 2005,
// 2008)
//     HSIC = tr(KHLH)/n²,   H = I - 11ᵀ/n,
// of the matrices K and L of the two properties is the squared norm of their cross-covariance in feature space: 0 in
// the limit only when they are independent, for characteristic kernels. p-value as in permutation_tests.h, over random
// pairings of the objects.

struct independence_options {
    index permutations = 1000;
    std::uint64_t seed = 0;
    std::size_t memory_bytes = std::size_t{1} << 30;  // both matrices are held: 16n² bytes
    progress_callback progress{};                     // false: the permutations so far are all
};

struct independence_result {
    double hsic = 0;
    double alignment = 0;  // HSIC/√(HSIC(K,K)·HSIC(L,L)), between 0 and 1: centred kernel alignment
    double p_value = 1;
    index permutations = 0;
};

// Row i of x belongs to row i of y.
independence_result independence_test(const kernel& k, const dataset& x, const kernel& l, const dataset& y,
                                      const independence_options& options = {});
independence_result independence_test(const gram<double>& K, const gram<double>& L,
                                      const independence_options& options = {});

}  // namespace mercer
