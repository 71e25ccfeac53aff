// Are two properties of the same objects independent? The Hilbert-Schmidt independence criterion (Gretton et al. 2005,
// 2008)
//     HSIC = tr(KHLH)/n²,   H = I - 11ᵀ/n,
// of the matrices K and L of the two properties is the squared norm of their cross-covariance in feature space: 0 in
// the limit only when they are independent, for characteristic kernels. p-value as in permutation_tests.h, over random
// pairings of the objects.
#pragma once

#include <cstdint>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

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
