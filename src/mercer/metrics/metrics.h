// How good answers are, by the names people use: one number of answers and what they should have been.
//
//     const metric& m = find_metric("balanced_accuracy");
//     m.value({.y = targets, .predicted = answers});
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

struct answered {
    std::span<const double> y, predicted;
    // For classes, one column each, in ascending order of their labels: scores of which the largest wins, or
    // probabilities. Empty where a metric does not ask for them.
    matrix_view<const double> scores{};
    std::span<const double> classes{};
};

struct metric {
    std::string name;
    std::string about;
    answer of = answer::classes;  // or values
    bool larger_is_better = true;
    enum class wants { answers, scores, probabilities } from = wants::answers;
    std::function<double(const answered&)> value;

    bool better(double a, double b) const { return larger_is_better ? a > b : a < b; }
};

const std::vector<metric>& metrics();
// Fails with errc::invalid_argument, naming those there are for such answers.
const metric& find_metric(std::string_view name, answer of);
const metric& default_metric(answer of);  // accuracy; rmse

// The area under the curve of true against false positives, ties counted half (Mann and Whitney's statistic); NaN where
// all are of one side.
double area_under_roc(std::span<const double> score, const std::vector<bool>& positive);

// Which class was taken for which, and what that says of each class.

struct confusion {
    std::vector<double> labels;  // ascending: those of the model, of the targets and of the answers
    matrix<index> count;         // a row for each class that it is, a column for each that was said
    index place(double label) const;
};
confusion confusion_of(std::span<const double> y, std::span<const double> predicted, std::span<const double> classes);

// One class against the rest. NaN where there is nothing to divide by.
struct class_figures {
    double label = 0;
    index support = 0, said = 0, right = 0;  // how many there are, how many were said to be, how many were both
    double precision = 0;                    // right / said
    double recall = 0;                       // right / support
    double f1 = 0;                           // 2·right / (said + support)
    interval of_precision, of_recall;        // Wilson's, of 95 %
};
std::vector<class_figures> figures_of_classes(const confusion& all);

// How good predictions v of the targets y are.

struct regression_score {
    double mean_squared_error = 0;
    double squared_correlation = 0;
};
regression_score score_regression(std::span<const double> y, std::span<const double> v);
index count_correct(std::span<const double> y, std::span<const double> v);

}  // namespace mercer
