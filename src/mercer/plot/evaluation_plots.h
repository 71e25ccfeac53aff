// The panels of an evaluation.
//
//     write_atomically("test.svg", picture_page("iris.model", "on test.csv", evaluation_panels(all)));
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/metrics/evaluation.h"
#include "mercer/plot/axes.h"

namespace mercer {

using shared_evaluation = std::shared_ptr<const evaluation>;

struct named_panel {
    std::string name, caption;
    panel draw;
};
// The panels for which the evaluation has data. Classes: confusion matrix, ROC, precision and recall, reliability.
// Values: predicted and true values, residuals. Both: importance of the features.
std::vector<named_panel> evaluation_panels(const shared_evaluation& all);

panel confusion_panel(shared_evaluation all);
panel roc_panel(shared_evaluation all);
panel precision_recall_panel(shared_evaluation all);
panel reliability_panel(shared_evaluation all);
panel predicted_panel(shared_evaluation all);
panel residual_panel(shared_evaluation all);
panel importance_panel(shared_evaluation all);

}  // namespace mercer
