// The evaluation of a model on examples with known targets: metrics with confidence intervals, the confusion matrix,
// curves of the classes, residuals.
//
// Example:
//
//     evaluation_input given;
//     given.y = {0, 0, 0, 1}, given.predicted = {0, 0, 1, 1}, given.classes = {0, 1};
//     const evaluation all = evaluate(given, {.resamples = 100});
//     assert(all.find("accuracy")->value == 0.75 && all.table.count(0, 1) == 1);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/methods/method_info.h"
#include "mercer/metrics/classification_curves.h"
#include "mercer/metrics/metrics.h"
#include "mercer/metrics/permutation_importance.h"

namespace mercer {

// The input of evaluate(): one target and one prediction per example.
struct evaluation_input {
    target_kind of = target_kind::classes;  // target_kind::classes or target_kind::values
    std::vector<double> y, predicted;       // target and prediction of each example
    std::vector<double> classes{};          // labels of the classes of the model, ascending
    // a row for each example, a column for each class; no columns: the model has no scores or no probabilities
    matrix<double> scores{}, probabilities{};
};

// Options of evaluate().
struct evaluation_options {
    index resamples = 0;  // bootstrap samples; 0: 1000, fewer for many examples (about a second of work)
    index bins = 10;      // bins of the reliability diagram
    std::uint64_t seed = 1;
};

// A metric with its value on the examples.
struct evaluated_metric {
    std::string name, about;
    double value = 0;
    interval range;               // 95 % confidence interval
    std::string interval_method;  // method of the interval: "Wilson" or "bootstrap"
    bool larger_is_better = true;
};

// The curves of one class against the rest.
struct class_curves {
    double label = 0;
    ranking order;              // empty if the model has no scores
    reliability probabilities;  // no bins if the model has no probabilities
};

// A summary of the residuals y - predicted of a regression: mean, standard deviation, minimum, lower quartile, median,
// upper quartile and maximum.
struct residual_summary {
    double mean = 0, deviation = 0, smallest = 0, quarter = 0, median = 0, three_quarters = 0, largest = 0;
};

// The result of an evaluation.
struct evaluation {
    target_kind of = target_kind::classes;
    index n = 0;
    index resamples = 0;
    std::vector<evaluated_metric> metrics;
    confusion_matrix table;
    std::vector<std::string> names;  // the class names of table.labels, in the same order
    std::vector<class_metrics> classes;
    std::vector<class_curves> curves;  // two classes: the curves of the larger label; more classes: the curves of each
    std::vector<double> y, predicted;  // regression only; used by plots
    residual_summary residuals;
    std::vector<feature_importance> importance;  // empty if it was not requested
    std::string importance_metric;
    std::vector<std::string> features;  // names of the columns; may be empty

    const std::string& name_of(double label) const { return names[static_cast<std::size_t>(table.position(label))]; }
    std::string feature(index column) const;
    const evaluated_metric* find(std::string_view metric) const;  // null if the metric does not apply
};

// Evaluates predictions: computes all metrics that apply, with confidence intervals, and the tables and curves. Throws
// errc::data if there are no examples or, naming the row, if a target, a prediction or a score is not finite, and
// errc::invalid_argument if sizes differ.
evaluation evaluate(const evaluation_input& a, const evaluation_options& options = {});

}  // namespace mercer
