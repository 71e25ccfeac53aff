// Permutation importance of a feature: the amount by which a metric worsens when the values of this feature are
// shuffled among the examples. Features that carry the same information share their importance (Breiman 2001; Fisher,
// Rudin and Dominici 2019).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/metrics/metrics.h"

namespace mercer {

// The predictions of a model for some objects, and scores or probabilities if the metric needs them.
struct predictions_of_model {
    std::vector<double> predicted;
    matrix<double> scores{};
};
// A model as a function: returns one prediction for each vector of the data set.
using predictor = std::function<predictions_of_model(const dataset&)>;

// Options of permutation_importance().
struct importance_options {
    index repeats = 10;     // number of shuffles of each feature
    index resamples = 200;  // bootstrap samples for the intervals
    std::uint64_t seed = 1;
    index max_batch_numbers = 1 << 22;  // rows × columns of one call of the model, at most (memory)
    std::function<void(double share)> progress{};
};

// The importance of one feature: how much the metric worsens when the feature is shuffled.
struct feature_importance {
    index column = 0;
    double mean = 0;               // mean decrease of the metric over the repeats (increase for losses)
    double deviation = 0;          // standard deviation over the repeats
    interval mean_interval;        // 95 % bootstrap interval over examples and shuffles
    std::vector<double> decrease;  // decrease in each repeat
};

// Returns the importance of each column of the vectors x, in the order of the columns. y contains one target per
// example, `classes` the labels of the classes (empty for values). `by` is the metric that measures the predictions of
// `model`. The model is only called for rows whose value changes, with many shuffles in one call; a constant column has
// importance 0. Throws errc::unsupported if x does not contain vectors.
std::vector<feature_importance> permutation_importance(const dataset& x, std::span<const double> y,
                                                       std::span<const double> classes, const metric& by,
                                                       const predictor& model, const importance_options& options = {});

}  // namespace mercer
