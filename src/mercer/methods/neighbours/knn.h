// k nearest neighbours in feature space: the training objects with the least ‖φ(x)-φ(xᵢ)‖² = k(x,x) + k(xᵢ,xᵢ) -
// 2k(x,xᵢ); of equally near ones, those with the lowest index. Classification: the class with the largest sum of votes
// wᵢ, the lowest of equals. Regression: Σ wᵢyᵢ/Σ wᵢ. wᵢ is 1 or 1/distance (if some distance is 0, only those
// neighbours vote), times the sample weight.
//
// Kernel values come tile by tile, in float where a kernel of objects is given; each query keeps a few more candidates
// than asked for, which are ranked again in double. Where the error seen on the candidates could have hidden a
// neighbour, the query is done again in double, so the neighbours are those of exact arithmetic. Nothing of size
// (queries × training objects) is stored.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/model_file.h"

namespace mercer {

enum class knn_task { classification, regression };
enum class knn_weights { uniform, distance };

struct knn_options {
    knn_task task = knn_task::classification;
    index n_neighbors = 5;
    knn_weights weights = knn_weights::uniform;
    std::vector<double> sample_weight{};                // factors of the votes; empty: all 1
    std::size_t memory_bytes = std::size_t{512} << 20;  // for tiles and packed training objects while predicting
    progress_callback progress{};                       // while predicting; not saved
};

struct knn_model {
    knn_options options;
    std::shared_ptr<const kernel> k;  // null: fitted on a matrix
    dataset x;
    std::vector<double> y;        // targets, or for classification the place of the label in `classes`
    std::vector<double> classes;  // ascending; empty for regression
    std::vector<double> self;     // k(xᵢ, xᵢ)

    index size() const { return static_cast<index>(self.size()); }
};

struct neighbours {
    matrix<index> indices;                      // one row a query, nearest first
    matrix<double> distances;                   // in feature space
    index again = 0;                            // queries for which floats were not enough
    fit_status status = fit_status::converged;  // cancelled: the rows from `done` on are not filled
    index done = 0;
};

knn_model fit_knn(const kernel& k, const dataset& x, std::span<const double> y, const knn_options& options);
// K is the matrix of the training objects; only its diagonal is needed.
knn_model fit_knn(const gram<double>& K, std::span<const double> y, const knn_options& options);

neighbours find_neighbours(const knn_model& model, const dataset& z);
// Rows of K are queries, columns training objects; `self` is k(z, z) of each query.
neighbours find_neighbours(const knn_model& model, const gram<double>& K, std::span<const double> self);

// Labels or values. Fails with errc::unsupported when the progress callback stopped the search: a part of the answer is
// no answer.
std::vector<double> predict(const knn_model& model, const dataset& z);
std::vector<double> predict(const knn_model& model, const neighbours& found);
// Votes of each class, adding up to 1.
matrix<double> class_shares(const knn_model& model, const neighbours& found);

}  // namespace mercer
