// Metrics: functions that compare predictions with the targets and return one number; they are found by name.
//
// Example:
//
//     const std::vector<double> targets = {0, 0, 0, 1}, predicted = {0, 0, 1, 1};
//     const metric& balanced = find_metric("balanced_accuracy", target_kind::classes);
//     assert(std::abs(balanced.value({.y = targets, .predicted = predicted}) - (2.0 / 3 + 1) / 2) < 1e-12);
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/methods/method_info.h"
#include "mercer/metrics/confidence_intervals.h"

namespace mercer {

// The input of a metric: one target and one prediction per example.
struct metric_input {
    std::span<const double> y, predicted;
    // Scores or probabilities of the classes: a row for each example, a column for each class in ascending order of the
    // labels; the predicted class has the largest score. Empty if the metric does not need them. All views are
    // borrowed.
    matrix_view<const double> scores{};
    std::span<const double> classes{};  // the labels of the classes, ascending; empty for values
};

// A metric: its name, its meaning and the function that computes it.
struct metric {
    std::string name;
    std::string about;
    target_kind of = target_kind::classes;  // target_kind::classes or target_kind::values
    bool larger_is_better = true;
    enum class input { predictions, scores, probabilities } needs = input::predictions;
    std::function<double(const metric_input&)> value;

    bool better(double a, double b) const { return larger_is_better ? a > b : a < b; }
};

// All metrics of the library.
const std::vector<metric>& metrics();
// Returns the metric of this name for classes or for values. Throws errc::invalid_argument for an unknown name; the
// message lists the metrics for this kind of target.
const metric& find_metric(std::string_view name, target_kind of);
const metric& default_metric(target_kind of);  // accuracy for classes, rmse for values

// Returns the area under the ROC curve: the probability that a positive example has a larger score than a negative one,
// where ties count half (Mann-Whitney statistic). NaN unless there are positive and negative examples.
double area_under_roc(std::span<const double> score, const std::vector<bool>& positive);

// The confusion matrix: how often each class was predicted for the examples of each class.

struct confusion_matrix {
    std::vector<double> labels;          // ascending; the labels of the model, of the targets and of the predictions
    matrix<index> count;                 // rows: true classes; columns: predicted classes
    index position(double label) const;  // position of one of `labels`
};
// y and predicted contain one label per example; `classes` contains the labels of the model.
confusion_matrix compute_confusion(std::span<const double> y, std::span<const double> predicted,
                                   std::span<const double> classes);

// The scores of one class against the rest. A score is NaN if its denominator is 0.
struct class_metrics {
    double label = 0;
    // number of examples of the class, of predictions of the class, and of correct predictions of it
    index support = 0, predicted = 0, correct = 0;
    double precision = 0;                          // correct / predicted
    double recall = 0;                             // correct / support
    double f1 = 0;                                 // 2·correct / (predicted + support)
    interval precision_interval, recall_interval;  // Wilson intervals, 95 %
};
std::vector<class_metrics> compute_class_metrics(const confusion_matrix& all);

// Scores of a regression with targets y and predictions v: the mean of (y[i] - v[i])², and the squared Pearson
// correlation of y and v.

struct regression_score {
    double mean_squared_error = 0;
    double squared_correlation = 0;
};
regression_score score_regression(std::span<const double> y, std::span<const double> v);
// Returns the number of examples with y[i] = v[i].
index count_correct(std::span<const double> y, std::span<const double> v);

}  // namespace mercer
