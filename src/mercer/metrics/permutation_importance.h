// How much worse answers become when one feature is shuffled among the examples: what the model owes to it, as long as
// no other feature says the same (Breiman 2001; Fisher, Rudin and Dominici 2019).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/metrics/metrics.h"

namespace mercer {

// What a model says of objects: predictions, and scores or probabilities where the metric asks for them.
struct said {
    std::vector<double> predicted;
    matrix<double> scores{};
};
using asked = std::function<said(const dataset&)>;

struct importance_options {
    index repeats = 10;     // shuffles of each feature
    index resamples = 200;  // draws behind the intervals
    std::uint64_t seed = 1;
    index most_numbers = 1 << 22;  // of one question to the model: rows × columns
    std::function<void(double share)> progress{};
};

struct feature_importance {
    index column = 0;
    double mean = 0;            // how much worse the metric is with this feature shuffled, over the repeats
    double deviation = 0;       // its standard deviation over the repeats
    interval of_mean;           // of 95 %, over other examples and other shuffles: bootstrap
    std::vector<double> worse;  // of each repeat
};

// One for each column of vectors, in their order. Only rows whose value changes are asked about again, many shuffles at
// once; a column of one value is worth exactly 0.
std::vector<feature_importance> permutation_importance(const dataset& x, std::span<const double> y,
                                                       std::span<const double> classes, const metric& by,
                                                       const asked& model, const importance_options& options = {});

}  // namespace mercer
