// How good a tuned method really is, and how that grows with the examples.
//
// The best score of a search is too good: it is the best of many. Nested cross-validation searches again in every
// training part, and judges what was chosen there by examples that no search has seen.
#pragma once

#include "mercer/metrics/metrics.h"
#include "mercer/model_selection/search.h"

namespace mercer::api {

struct nested_estimate {
    std::string metric, how;     // "rmse", "5 outer folds, stratified, a search in each"
    std::vector<double> scores;  // of each outer fold
    std::vector<spec> chosen;    // in each
    double mean = 0;
    interval range;        // of 95 %
    std::string by;        // "Wilson", "bootstrap" or "t"
    bool complete = true;  // false: stopped after some folds
    double seconds = 0;
};

// 2 <= outer folds. Where the metric is one of answers, all of them together give the interval; else the folds' scores.
nested_estimate nested_tune(const spec& open, const table& data, int outer, const tune_options& options = {},
                            const fit_control& control = {});

struct learning_curve {
    std::string metric;
    std::vector<index> examples;                         // learnt from
    std::vector<double> training, held_out;              // mean score on them, and on those held out
    std::vector<double> training_error, held_out_error;  // standard errors of these, over the folds
    bool larger_is_better = true;
};

// The score of a setting for growing parts of the training examples of each fold.
learning_curve learn_curve(const spec& closed, const table& data, const tune_options& options = {},
                           const fit_control& control = {});

// {"metric", "cross_validation", "mean", "low", "high", "interval", "complete", "seconds", "folds": [{"score",
// "spec"}]}
std::string to_json(const nested_estimate& found);
// {"metric", "points": [{"examples", "training", "training_error", "held_out", "held_out_error"}]}
std::string to_json(const learning_curve& found);

}  // namespace mercer::api
