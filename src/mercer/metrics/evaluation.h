// Everything that is said of a model's answers on examples whose targets are known: figures with intervals, and the
// curves behind them.
//
//     const evaluation all = evaluate({.of = answer::classes, .y = y, .predicted = found, .classes = classes});
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

struct model_answers {
    answer of = answer::classes;  // or values
    std::vector<double> y, predicted;
    std::vector<double> classes{};             // of the model, ascending
    matrix<double> scores{}, probabilities{};  // a column for each class; empty: the model has none
};

struct evaluation_options {
    index resamples = 0;  // of the bootstrap; 0: 1000, fewer of many examples
    index bins = 10;      // of probabilities
    std::uint64_t seed = 1;
};

struct evaluated_metric {
    std::string name, about;
    double value = 0;
    interval range;  // of 95 %
    std::string by;  // "Wilson" or "bootstrap"
    bool larger_is_better = true;
};

// One class against the rest.
struct class_curves {
    double label = 0;
    ranking order;              // empty: no scores
    reliability probabilities;  // no bins: no probabilities
};

// Of values: y - predicted.
struct residual_figures {
    double mean = 0, deviation = 0, smallest = 0, quarter = 0, median = 0, three_quarters = 0, largest = 0;
};

struct evaluation {
    answer of = answer::classes;
    index n = 0;
    index resamples = 0;
    std::vector<evaluated_metric> metrics;
    confusion table;
    std::vector<std::string> names;  // of the labels of the table
    std::vector<class_figures> classes;
    std::vector<class_curves> curves;  // of two classes that of the larger label, of more of each
    std::vector<double> y, predicted;  // of values, for pictures
    residual_figures residuals;
    std::vector<feature_importance> importance;  // empty: not asked for
    std::string importance_metric;
    std::vector<std::string> features;  // names of columns, empty: none

    const std::string& name_of(double label) const { return names[static_cast<std::size_t>(table.place(label))]; }
    std::string feature(index column) const;
    const evaluated_metric* find(std::string_view metric) const;  // null: it does not apply
};

// Fails with errc::data, naming the row, where a target, an answer or a score is not finite.
evaluation evaluate(const model_answers& a, const evaluation_options& options = {});

}  // namespace mercer
