// The panels of an evaluation.
//
// Example:
//
//     #include <mercer/inspection/evaluate.h>
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const model m = fit(svc{.kernel = gaussian{0.5}}, iris);
//     const auto all = std::make_shared<const evaluation>(api::evaluate(m, iris, {.metrics = {.resamples = 100}}));
//     std::vector<panel> panels;
//     for (const named_panel& each : evaluation_panels(all)) panels.push_back(each.draw);
//     write_atomically("evaluation.svg", picture_page("svc", "on iris", panels));
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

// The panels one by one.
panel confusion_panel(shared_evaluation all);
panel roc_panel(shared_evaluation all);
panel precision_recall_panel(shared_evaluation all);
panel reliability_panel(shared_evaluation all);
panel predicted_panel(shared_evaluation all);
panel residual_panel(shared_evaluation all);
panel importance_panel(shared_evaluation all);

}  // namespace mercer
