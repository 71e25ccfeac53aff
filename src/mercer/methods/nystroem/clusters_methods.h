// Clustering in feature space as values: kernel_kmeans, kernel_kmedoids; on a few centres, for many examples,
// nystroem_kmeans, nystroem_spectral.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/centre_options.h"

namespace mercer {

struct kernel_kmeans {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_clusters = 8, n_init = 10, max_iter = 300, seed = 0;

    static method_facts facts() {
        return {"kernel_kmeans",
                {"kmeans", "k_means"},
                method_family::clustering,
                "k-means in feature space",
                "min Σ‖φ(xᵢ)-μ_c(i)‖²",
                "mercer-kernel-kmeans-model",
                answer::none,
                true,
                true,
                true};
    }
    template <class V>
    void options(V& v) {
        v.whole("n_clusters", n_clusters, 1, "how many");
        v.whole("n_init", n_init, 1, "restarts, of which the best is kept");
        v.whole("max_iter", max_iter, 1, "rounds at most");
        v.whole("seed", seed, 0, "of the random starts");
    }
};

struct kernel_kmedoids {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_clusters = 8;
    std::string start = "build";
    index n_init = 1, max_iter = 300, seed = 0;

    static method_facts facts() {
        return {"kernel_kmedoids",
                {"kmedoids", "k_medoids", "pam"},
                method_family::clustering,
                "k objects that stand for all, by FasterPAM",
                "min Σ minₘ ‖φ(xᵢ)-φ(m)‖",
                "mercer-kernel-kmedoids-model",
                answer::none};
    }
    template <class V>
    void options(V& v) {
        const option_needs random{{"start", {"random"}}};
        v.whole("n_clusters", n_clusters, 1, "how many");
        v.choice("start", start, {"build", "random"}, "the first medoids");
        v.whole("n_init", n_init, 1, "random starts, of which the best is kept", random);
        v.whole("max_iter", max_iter, 1, "rounds at most");
        v.whole("seed", seed, 0, "of the random starts", random);
    }
};

struct nystroem_kmeans {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_clusters = 8, n_centres = 1000;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    double tol = 1e-5;
    index n_init = 10, max_iter = 300, seed = 0;

    static method_facts facts() {
        return for_one_process(with_checkpoints({"nystroem_kmeans",
                                                 {},
                                                 method_family::clustering,
                                                 "k-means in the span of a few centres, for millions of examples",
                                                 "min Σ‖φ(xᵢ)-μ_c(i)‖², μ = Σ βⱼk(·, zⱼ)",
                                                 "mercer-nystroem-kmeans-model",
                                                 answer::none,
                                                 true,
                                                 true,
                                                 true}));
    }
    template <class V>
    void options(V& v) {
        v.whole("n_clusters", n_clusters, 1, "how many");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::centres_to_predict());
        v.whole("n_init", n_init, 1, "restarts on a sample of the examples, of which the best is kept");
        v.number("tol", tol, at_least(0), "ends where a round lowers the objective by no more than this share of it");
        v.whole("max_iter", max_iter, 1, "rounds, each a pass over the examples, at most");
    }
};

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

}  // namespace mercer
