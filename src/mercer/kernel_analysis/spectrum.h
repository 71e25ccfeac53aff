// The eigendecomposition K = UΛUᵀ of a Gram matrix, and how many dimensions of feature space the data fill.
#pragma once

#include <vector>

#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/gram.h"

namespace mercer {

struct gram_spectrum {
    std::vector<double> values;  // descending
    matrix<double> vectors;      // row k is the eigenvector of values[k]: Uᵀ; empty when only values were asked for
    double tolerance = 0;        // n·ε·max|λ|: what rounding alone may leave of an eigenvalue 0

    index size() const { return static_cast<index>(values.size()); }
    index rank() const;      // how many |λ| > tolerance
    index negative() const;  // how many λ < -tolerance
    // exp of the entropy of |λ|/Σ|λ| (Roy and Vetterli 2007): n for the identity, 1 for rank one; 0 for K = 0.
    double effective_rank() const;
    // Σ_{i<=k} |λᵢ| / Σ |λ| for k = 1 … n, |λ| falling; all 0 for K = 0.
    std::vector<double> cumulative_share() const;
};

gram_spectrum decompose(const gram<double>& k, eigen_parts wanted = eigen_parts::values_and_vectors);

}  // namespace mercer
