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

}  // namespace mercer
