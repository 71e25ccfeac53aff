// Normalised cuts for millions of examples: spectral clustering (Ng, Jordan, Weiss 2002) with the kernel as affinity,
// on its Nyström approximation (Fowlkes, Belongie, Chung, Malik 2004).
//
// With K̃ = ΦΦᵀ, Φ the features of M centres (methods/nystroem/nystroem_basis.h), and degrees d = K̃w, the leading
// eigenvectors of W^½D^-½K̃D^-½W^½ are W^½D^-½ΦU Λ^-½ with
//
//     ΦᵀWD⁻¹Φ u = λu,     M × M, by block Lanczos, a product a pass over K(X, Z) that stores none of it.
//
// An example is where (⟨φ(x), uⱼ⟩/√λⱼ), j = 1 … k, points to: rows of that matrix, made of length 1, which the factor
// d(x)^-½ does not change. So new examples have their place, and their cluster, by the same functions. Clusters are
// found there by k-means on all examples (methods/nystroem/nystroem_kmeans.h; n × k numbers in memory), several restarts on a
// sample.
//
// Affinities are not negative: K w >= min(w, 1)·k(x, x). K̃ may lose that where the centres do not reach: there the
// degree is taken to be min(w, 1)·k(x, x), and the model says of how many examples. Where a quarter of the
// degrees are negative by more than that, the kernel is no affinity, and the fit fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/nystroem_kmeans.h"

namespace mercer {

struct nystroem_spectral {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_clusters = 8, n_centres = 1000;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    index n_init = 10, max_iter = 300, seed = 0;

    static method_facts facts() {
        return for_one_process(with_checkpoints(
            {"nystroem_spectral",
             {"spectral", "spectral_clustering", "normalised_cuts"},
             method_family::clustering,
             "normalised cuts with the kernel as affinity, on a few centres, for millions of examples",
             "leading eigenvectors of D^-½K̃D^-½, K̃ = K(X, Z) K(Z, Z)⁻¹ K(Z, X), then k-means on their rows",
             "mercer-nystroem-spectral-model",
             answer::none}));
    }
    template <class V>
    void options(V& v) {
        v.whole("n_clusters", n_clusters, 1, "how many");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::centres_to_predict());
        v.whole("n_init", n_init, 1, "restarts on a sample of the examples, of which the best is kept");
        v.whole("max_iter", max_iter, 1, "passes over the examples at most, and rounds of k-means");
    }
};

struct nystroem_spectral_model {
    kernel_expansion projection;      // function j is ⟨φ(x), uⱼ⟩/√λⱼ
    std::vector<double> eigenvalues;  // λ, descending
    matrix<double> means;             // clusters × functions, among rows of length 1
    std::vector<double> weights;      // of the examples of each cluster
    std::vector<index> labels;        // of the training examples
    std::vector<double> history;      // of k-means there
    fit_status status = fit_status::converged;
    double out_of_reach = 0;  // share of the trace of K(X, X), on a sample of rows
    index low_degrees = 0;    // examples whose degree in K̃ was less than half of what it is at least
    index passes = 0;         // over K

    index clusters() const { return means.rows(); }
    double objective() const { return history.back(); }
};

// Of the options tol is not used; max_iter bounds the passes, and the rounds of k-means.
nystroem_spectral_model fit_nystroem_spectral(const kernel_rows& x, const nystroem_clusters_options& options);

// The cluster whose mean is nearest, the lowest number of equals.
std::vector<index> predict(const nystroem_spectral_model& model, const dataset& z);
std::vector<index> predict(const nystroem_spectral_model& model, const gram<double>& K);
// Distances of the rows to the means of the clusters, in the space of the eigenvectors.
matrix<double> distances(const nystroem_spectral_model& model, const dataset& z);

namespace api {
struct method;
method nystroem_spectral_method();
}  // namespace api

}  // namespace mercer
