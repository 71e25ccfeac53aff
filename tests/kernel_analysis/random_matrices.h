// Random matrices and data for the tests of kernel_analysis/.
#pragma once

#include <random>
#include <vector>

#include "contracts/dense_oracle.h"
#include "contracts/errors.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram_views.h"

namespace mercer::testing {

inline precomputed<double> as_gram(const real_matrix& k) { return precomputed<double>(k); }

inline real_matrix random_matrix(index rows, index cols, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    real_matrix out(rows, cols);
    for (index i = 0; i < out.size(); ++i) out.data()[i] = normal(random);
    return out;
}
// BBᵀ with B of n × rank.
inline real_matrix random_psd(index n, index rank, std::mt19937_64& random) {
    const real_matrix b = random_matrix(n, rank, random);
    return symmetric_part(b * b.transpose());
}
// An orthogonal basis with the given eigenvalues, by default a random one.
inline real_matrix with_eigenvalues(const std::vector<double>& values, const real_matrix& basis) {
    return symmetric_part(basis * real_matrix::diagonal(values) * basis.transpose());
}
inline real_matrix with_eigenvalues(const std::vector<double>& values, std::mt19937_64& random) {
    const auto n = static_cast<index>(values.size());
    return with_eigenvalues(values, orthogonal_factor(random_matrix(n, n, random)));
}
inline dense<double> random_vectors(index n, index dims, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    return dense<double>(random_matrix(n, dims, random));
}

}  // namespace mercer::testing
