// Clustering in feature space as values: kernel_kmeans, kernel_kmedoids.
#pragma once

#include <optional>
#include <string>

#include "mercer/base/matrix.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/description.h"

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

}  // namespace mercer
