// Methods of distances to examples, means and medoids as values: knn, knn_regression, nearest_centroid, nearest_medoid.
#pragma once

#include <optional>
#include <string>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"

namespace mercer {
namespace detail {

template <class V>
void who_votes(V& v, index& n_neighbors, std::string& weights) {
    v.whole("n_neighbors", n_neighbors, 1, "how many vote");
    v.choice("weights", weights, {"uniform", "distance"}, "votes: 1 each, or 1/distance");
}

}  // namespace detail

struct knn {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_neighbors = 5;
    std::string weights = "uniform";

    static method_facts facts() {
        return {"knn",
                {"nearest_neighbours", "k_nearest_neighbours"},
                method_family::classification,
                "k nearest neighbours in feature space",
                "the class with most votes among the nearest",
                "mercer-knn-model",
                answer::classes};
    }
    template <class V>
    void options(V& v) {
        detail::who_votes(v, n_neighbors, weights);
    }
};

struct knn_regression {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_neighbors = 5;
    std::string weights = "uniform";

    static method_facts facts() {
        return {"knn_regression",
                {"knn_regressor"},
                method_family::regression,
                "the mean of the k nearest neighbours in feature space",
                "Σ wᵢyᵢ/Σ wᵢ over the nearest",
                "mercer-knn-model",
                answer::values};
    }
    template <class V>
    void options(V& v) {
        detail::who_votes(v, n_neighbors, weights);
    }
};

struct nearest_centroid {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};

    static method_facts facts() {
        return {"nearest_centroid",
                {"nearest_mean"},
                method_family::classification,
                "the nearest class mean in feature space",
                "min ‖φ(x)-μ_c‖²",
                "mercer-nearest-centroid-model",
                answer::classes,
                true,
                true,
                true};
    }
    template <class V>
    void options(V&) {}
};

struct nearest_medoid {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};

    static method_facts facts() {
        return {"nearest_medoid",
                {},
                method_family::classification,
                "the nearest class medoid: one object stands for each class",
                "min ‖φ(x)-φ(m_c)‖²",
                "mercer-nearest-medoid-model",
                answer::classes};
    }
    template <class V>
    void options(V&) {}
};

}  // namespace mercer
