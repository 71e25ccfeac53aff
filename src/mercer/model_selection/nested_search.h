// Nested cross-validation and learning curves of a tuned method.
//
// The best score of a search is optimistic, because it is the maximum of many. Nested cross-validation runs a search in
// every outer training part and scores its choice on examples that this search has not used.
#pragma once

#include "mercer/metrics/metrics.h"
#include "mercer/model_selection/search.h"

namespace mercer::api {

struct nested_estimate {
    std::string metric, how;     // e.g. "rmse" and "5 outer folds, stratified, a search in each"
    std::vector<double> scores;  // of each outer fold
    std::vector<spec> chosen;    // chosen setting of each outer fold
    double mean = 0;
    interval range;               // 95 % confidence interval
    std::string interval_method;  // method of the interval: "Wilson", "bootstrap" or "t"
    bool complete = true;         // false: cancelled after some of the folds
    double seconds = 0;
};

// Nested cross-validation with `outer` >= 2 folds. For metrics of predictions the interval uses the predictions of all
// folds together, otherwise the scores of the folds.
nested_estimate nested_tune(const spec& open, const table& data, int outer, const tune_options& options = {},
                            const fit_control& control = {});

struct learning_curve {
    std::string metric;
    std::vector<index> examples;                         // numbers of training examples
    std::vector<double> training, held_out;              // mean score on the training and on the held-out examples
    std::vector<double> training_error, held_out_error;  // standard errors of these means over the folds
    bool larger_is_better = true;
};

// The scores of a setting for growing numbers of training examples.
learning_curve learn_curve(const spec& closed, const table& data, const tune_options& options = {},
                           const fit_control& control = {});

// {"metric", "cross_validation", "mean", "low", "high", "interval", "complete", "seconds", "folds": [{"score",
// "spec"}]}
std::string to_json(const nested_estimate& found);
// {"metric", "points": [{"examples", "training", "training_error", "held_out", "held_out_error"}]}
std::string to_json(const learning_curve& found);

}  // namespace mercer::api
