// k nearest neighbours in feature space: the k training examples with the smallest ‖φ(x)-φ(xᵢ)‖² = k(x,x) + k(xᵢ,xᵢ) -
// 2k(x,xᵢ); among equally near examples those with the lowest index. Classification predicts the class with the largest
// sum of votes wᵢ, and among equal sums the lowest label; regression predicts Σ wᵢyᵢ/Σ wᵢ. The vote wᵢ of a neighbour
// is 1 or 1/distance, times its sample weight; if some distances are 0, only the neighbours at distance 0 vote.
//
// Kernel values are computed tile by tile, in float if a kernel is given. For each query, the k nearest training
// examples and a few more are ranked again in double. If the float error observed on the candidates could have hidden a
// neighbour, the query is repeated in double, so the neighbours are those of exact arithmetic. No array of size
// (queries × training examples) is stored.
//
// Example:
//
//     const double numbers[] = {0, 1, 5, 6};
//     const dataset x = dense<double>({numbers, 4, 1});
//     const std::vector<double> y = {-1, -1, 1, 1};
//     const knn_model m = fit_knn(gaussian{0.1}, x, y, {.n_neighbors = 1});
//     assert(predict(m, x) == y);
//     const neighbours found = find_neighbours(m, x);  // the positions of the neighbours, and their distances
//     assert(found.indices(2, 0) == 2 && found.distances(2, 0) == 0);
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

namespace detail {
template <class V>
void vote_options(V& v, index& n_neighbors, std::string& weights) {
    v.integer("n_neighbors", n_neighbors, 1, "number k of nearest neighbours");
    v.choice("weights", weights, {"uniform", "distance"},
             "weights of the neighbours: all equal (uniform) or 1/distance (distance)");
}
}  // namespace detail

// The method knn as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct knn {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_neighbors = 5;
    std::string weights = "uniform";

    static method_info info() {
        return {"knn",
                {"nearest_neighbours", "k_nearest_neighbours"},
                method_family::classification,
                "classification by the k nearest neighbours in feature space",
                "the class with most votes among the nearest",
                "mercer-knn-model",
                target_kind::classes};
    }
    template <class V>
    void options(V& v) {
        detail::vote_options(v, n_neighbors, weights);
    }
};

// The method knn_regression as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct knn_regression {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_neighbors = 5;
    std::string weights = "uniform";

    static method_info info() {
        return {"knn_regression",
                {"knn_regressor"},
                method_family::regression,
                "regression by the mean of the k nearest neighbours in feature space",
                "Σ wᵢyᵢ/Σ wᵢ over the nearest",
                "mercer-knn-model",
                target_kind::values};
    }
    template <class V>
    void options(V& v) {
        detail::vote_options(v, n_neighbors, weights);
    }
};

enum class knn_task { classification, regression };
// The votes wᵢ of the neighbours before sample weights: 1 (uniform) or 1/distance (distance).
enum class knn_weights { uniform, distance };

// Options of fit_knn().
struct knn_options {
    knn_task task = knn_task::classification;
    index n_neighbors = 5;
    knn_weights weights = knn_weights::uniform;
    std::vector<double> sample_weight{};                // factors of the votes; empty: all 1
    std::size_t memory_bytes = std::size_t{512} << 20;  // for tiles and packed training examples during prediction
    progress_callback progress{};                       // called during prediction; not saved
};

// The result of fit_knn(): the training examples and their targets.
struct knn_model {
    knn_options options;
    std::shared_ptr<const kernel> k;  // null if the model was fitted to a matrix
    dataset x;
    std::vector<double> y;        // targets; for classification the position of the label in `classes`
    std::vector<double> classes;  // labels in ascending order; empty for regression
    std::vector<double> self;     // k(xᵢ, xᵢ)

    index size() const { return static_cast<index>(self.size()); }
};

// The nearest neighbours of several queries.
struct neighbours {
    matrix<index> indices;                      // one row per query, nearest first
    matrix<double> distances;                   // distances in feature space
    index repeated_queries = 0;                 // number of queries that were repeated in double
    fit_status status = fit_status::converged;  // if cancelled, the rows from `done` on are not filled
    index done = 0;
};

// Stores the examples x (sharing their storage) and one target per example: a class label, or a value for regression.
// Throws errc::invalid_argument unless 1 <= n_neighbors <= n and sizes agree, and errc::data if there are no examples
// or a value is not finite.
knn_model fit_knn(const kernel& k, const dataset& x, std::span<const double> y, const knn_options& options);
// Fits to the n × n kernel matrix of the training examples, of which only the diagonal is used.
knn_model fit_knn(const gram<double>& K, std::span<const double> y, const knn_options& options);

// Finds the neighbours of each object of z. Time (objects of z)·n kernel values. Throws errc::unsupported if the model
// was fitted to a matrix.
neighbours find_neighbours(const knn_model& model, const dataset& z);
// Finds the neighbours from kernel values: K has a row for each query z and a column for each training example, and
// `self` contains k(z, z) of each query.
neighbours find_neighbours(const knn_model& model, const gram<double>& K, std::span<const double> self);

// Returns one prediction per query: a class label, or a value for regression. Throws errc::unsupported if the progress
// callback stopped the search, because some queries have no neighbours then.
std::vector<double> predict(const knn_model& model, const dataset& z);
std::vector<double> predict(const knn_model& model, const neighbours& found);
// Returns the share of the votes for each class: a row for each query, a column for each class; every row sums to 1.
// Throws errc::unsupported for regression.
matrix<double> class_shares(const knn_model& model, const neighbours& found);

namespace api {
struct method;
// Entries of the list of methods.
method knn_method();
method knn_regression_method();
}  // namespace api

}  // namespace mercer
