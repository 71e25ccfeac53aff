// Φ with K ≈ ΦΦᵀ, few columns, where K has few directions: a plane given as a matrix, polynomials, Gaussians that
// hardly vary over the data. Cholesky with the largest remaining diagonal entry as pivot (Fine, Scheinberg, J. Machine
// Learning Research 2, 2001), which asks for as many rows of K as Φ has columns.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/gram/gram.h"

namespace mercer {

// One row for each of K's; empty where more than `most` columns would be needed for entries of K + common to be within
// `residual` of ΦΦᵀ, or within what rounding allows, or where K is not positive semidefinite.
matrix<double> low_rank_factor(const gram<double>& K, double common, index most, double residual);

// Randomly pivoted Cholesky (Chen, Epperly, Tropp, Webber 2022): K ≈ FFᵀ of rank r from r columns of a positive
// semidefinite K and its diagonal, n·r² operations. The next pivot is drawn with probability proportional to what is
// left of the diagonal, d = diag(K - FFᵀ), so that the columns suit the kernel and the data with no leverage scores;
// within a block they are drawn by rejection (Epperly, Tropp, Webber 2024), so the distribution is that of one pivot
// after the other while the work is products of matrices.

struct rp_cholesky_options {
    index rank = 1;     // fewer are found where K has a smaller rank up to rounding
    index block = 0;    // pivots proposed at once; 0: block_of_rank(rank)
    double enough = 0;  // ends where no more than this share of the trace is left
    std::uint64_t seed = 0;
    std::function<bool(index done, double left)> progress{};  // false: stop with the pivots there are
};

struct random_pivots {
    std::vector<index> pivots;
    matrix<double> factor;  // F: n × the rank asked for; of columns beyond the pivots found all are 0
    double left = 0;        // trace(K - FFᵀ)/trace(K)
};

random_pivots rp_cholesky(const gram<double>& k, const rp_cholesky_options& options);

// Pivots proposed at once for this rank.
index block_of_rank(index rank);

// The rank of a preconditioner FFᵀ for n objects, `most` what fits the memory: 5√n of it pays for itself on most data.
index preconditioner_rank(index n, double most);

}  // namespace mercer
