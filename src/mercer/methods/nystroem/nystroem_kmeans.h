// Kernel k-means for millions of examples: the problem of kernel_kmeans.h with means in the span of M centres,
//
//     min  Σᵢ wᵢ min_c ‖φ(xᵢ) - μ_c‖²     over μ_c = Σⱼ βⱼ_c k(·, zⱼ),
//
// which is k-means on the Nyström features of all examples (Chitta, Jin, Havens, Jain 2011), plus what of φ(xᵢ) no
// function of the centres reaches. With every example a centre it is kernel k-means itself.
//
// Lloyd's rounds over passes of K(X, Z) that store none of it (methods/nystroem/lloyd.h), begun where k-means on a
// sample of the examples ends, several restarts of it (kmeans_start.h). Time n·M a round, memory n + M².
#pragma once

#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/nystroem/nystroem.h"

namespace mercer {

struct nystroem_clusters_options : nystroem_options {
    index n_clusters = 8;
    index n_init = 10;  // restarts on the sample
};

// Means as functions of the centres; the objective of `history` is that of these means, and no label is farther than
// another mean.
struct nystroem_kmeans_model : kmeans_model {
    double out_of_reach = 0;  // share of the trace of K(X, X), on a sample of rows
    index passes = 0;         // over K
};

// Of the options tol is that of lloyd.h, max_iter bounds the rounds.
nystroem_kmeans_model fit_nystroem_kmeans(const kernel_rows& x, const nystroem_clusters_options& options);

// What both methods of clusters on centres check, and the weights of their rows.
std::vector<double> checked_cluster_weights(const kernel_rows& x, const nystroem_clusters_options& options,
                                            const char* owner);

}  // namespace mercer
