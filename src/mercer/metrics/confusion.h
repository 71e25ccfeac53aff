// Which class was taken for which, and what that says of each class.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/metrics/wilson.h"

namespace mercer {

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

}  // namespace mercer
