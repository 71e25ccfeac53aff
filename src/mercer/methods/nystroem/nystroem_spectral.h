// Normalised cuts for millions of examples: spectral clustering (Ng, Jordan, Weiss 2002) with the kernel as affinity,
// on its Nyström approximation (Fowlkes, Belongie, Chung, Malik 2004).
//
// With K̃ = ΦΦᵀ, Φ the features of M centres (nystroem_basis.h), w the weights of the examples, degrees d = K̃w, W =
// diag(w) and D = diag(d), the leading eigenvectors of W^½D^-½K̃D^-½W^½ are W^½D^-½ΦU Λ^-½ with
//
//     ΦᵀWD⁻¹Φ u = λu,     an M × M problem, by block Lanczos with one pass over K(X, Z) per product.
//
// An example is represented by the direction of (⟨φ(x), uⱼ⟩/√λⱼ), j = 1 … n_clusters: the rows of this matrix are
// scaled to length 1, which removes the factor d(x)^-½. New examples are therefore embedded, and assigned to clusters,
// by the same functions. k-means on all embedded examples (nystroem_kmeans.h; n × n_clusters numbers in memory), with
// several restarts on a sample, finds the clusters.
//
// Affinities are not negative, so K w >= min(w, 1)·k(x, x). The approximation K̃ may violate this bound for examples
// that the centres do not explain. Their degree is set to min(w, 1)·k(x, x), and the model reports their number. If a
// quarter of the degrees are far below zero, the kernel is not an affinity, and the fit throws errc::data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/nystroem_kmeans.h"

namespace mercer {

// The method nystroem_spectral as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nystroem_spectral {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_clusters = 8, n_centres = 1000;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    index n_init = 10, max_iter = 300, seed = 0;

    static method_info info() {
        return for_single_rank(with_checkpoints(
            {"nystroem_spectral",
             {"spectral", "spectral_clustering", "normalised_cuts"},
             method_family::clustering,
             "spectral clustering by the Nyström method, for millions of examples",
             "leading eigenvectors of D^-½K̃D^-½, K̃ = K(X, Z) K(Z, Z)⁻¹ K(Z, X), then k-means on their rows",
             "mercer-nystroem-spectral-model",
             target_kind::none}));
    }
    template <class V>
    void options(V& v) {
        v.integer("n_clusters", n_clusters, 1, "number of clusters");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::prediction_centre_choices());
        v.integer("n_init", n_init, 1, option_text::sample_starts);
        v.integer("max_iter", max_iter, 1, "maximum number of passes over the examples, and of iterations of k-means");
    }
};

// The result of fit_nystroem_spectral(), in the symbols of the file comment.
struct nystroem_spectral_model {
    kernel_expansion projection;      // function j is ⟨φ(x), uⱼ⟩/√λⱼ
    std::vector<double> eigenvalues;  // λ, descending
    matrix<double> means;             // clusters × functions, among rows of length 1
    std::vector<double> weights;      // total weight of the examples of each cluster
    std::vector<index> labels;        // cluster of each training example
    std::vector<double> history;      // objective of k-means in the space of the eigenvectors
    fit_status status = fit_status::converged;
    double unexplained = 0;  // unexplained fraction of the trace of K(X, X), estimated on a sample of rows
    index low_degrees = 0;   // examples whose degree in K̃ is less than half of its lower bound
    index passes = 0;        // number of passes over K

    index clusters() const { return means.rows(); }
    double objective() const { return history.back(); }
};

// Finds the clusters of the examples x; fit_nystroem_features() describes x and the errors. Option tol is not used;
// max_iter bounds the number of passes and the number of iterations of k-means.
nystroem_spectral_model fit_nystroem_spectral(const training_rows& x, const nystroem_clusters_options& options);

// Returns the cluster with the nearest mean; of equally near means the one with the lowest number.
std::vector<index> predict(const nystroem_spectral_model& model, const dataset& z);
std::vector<index> predict(const nystroem_spectral_model& model, const gram<double>& K);
// Returns the distances of the rows to the means of the clusters in the space of the eigenvectors.
matrix<double> distances(const nystroem_spectral_model& model, const dataset& z);

namespace api {
struct method;
// The entry of nystroem_spectral in the list of methods.
method nystroem_spectral_method();
}  // namespace api

}  // namespace mercer
