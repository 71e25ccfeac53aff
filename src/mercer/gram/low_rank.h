// Low-rank factors K ≈ ΦΦᵀ of a Gram matrix by pivoted Cholesky decompositions, which compute one row or column of K
// per column of Φ: low_rank_factor with the largest remaining diagonal entry as pivot, rp_cholesky with random pivots.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/gram/gram.h"

namespace mercer {

// Returns Φ, one row per row of K, with K + common ≈ ΦΦᵀ, by a Cholesky decomposition whose pivot is the largest
// remaining diagonal entry (Fine, Scheinberg, J. Machine Learning Research 2, 2001). Every entry of K + common agrees
// with ΦΦᵀ up to `residual` or rounding. Returns an empty matrix if that takes more than `most` columns or K is not
// positive semidefinite. Linear kernels on few columns, polynomials, and Gaussians that hardly vary over the data have
// factors with few columns.
matrix<double> low_rank_factor(const gram<double>& K, double common, index most, double residual);

// Randomly pivoted Cholesky (Chen, Epperly, Tropp, Webber 2022): K ≈ FFᵀ of rank r from r columns and the diagonal of a
// positive semidefinite K, in n·r² operations. The next pivot is sampled with a probability proportional to the
// remaining diagonal d = diag(K - FFᵀ), so that the columns suit the kernel and the data without leverage scores. A
// block of pivots is sampled by rejection (Epperly, Tropp, Webber 2024): the distribution is that of sampling one by
// one, but the work is in products of matrices.
struct rp_cholesky_options {
    index rank = 1;              // fewer pivots are found if the numerical rank of K is smaller
    index block = 0;             // pivots proposed at once; 0: block_size_for_rank(rank)
    double trace_tolerance = 0;  // ends when at most this fraction of trace(K) remains
    std::uint64_t seed = 0;
    // returns false to stop with the pivots found so far; left: remaining fraction of trace(K)
    std::function<bool(index done, double left)> progress{};
};

struct random_pivots {
    std::vector<index> pivots;
    matrix<double> factor;       // F, n × options.rank; columns beyond the pivots found are 0
    double remaining_trace = 0;  // trace(K - FFᵀ)/trace(K)
};

random_pivots rp_cholesky(const gram<double>& k, const rp_cholesky_options& options);

// Returns the number of pivots to propose at once for this rank.
index block_size_for_rank(index rank);

// Returns the rank of a preconditioner FFᵀ for n objects. `most` is the largest rank that fits into memory. On most
// data 5√n columns save more time than they take.
index preconditioner_rank(index n, double most);

}  // namespace mercer
