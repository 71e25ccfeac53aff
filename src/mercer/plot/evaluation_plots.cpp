#include "mercer/plot/evaluation_plots.h"

#include <algorithm>

namespace mercer {

std::vector<named_panel> evaluation_panels(const shared_evaluation& all) {
    std::vector<named_panel> out;
    if (all->of == answer::values) {
        out.push_back({"predicted", "On the line an answer is right.", predicted_panel(all)});
        out.push_back({"residuals",
                       "The orange line is the mean residual of neighbouring answers: where it leaves 0, the model is "
                       "wrong in a way that could be learnt.",
                       residual_panel(all)});
    } else {
        out.push_back({"confusion",
                       "A row is what examples are, a column what the model said; the depth of the colour is the "
                       "share of the row.",
                       confusion_panel(all)});
    }
    if (std::ranges::any_of(all->curves, [](const auto& c) { return c.order.has_roc(); })) {
        out.push_back({"roc", "Each class against the rest; the broken line is guessing.", roc_panel(all)});
        out.push_back({"precision_recall",
                       "Of those said to be of a class, the share that is; of those that are, the share found.",
                       precision_recall_panel(all)});
    }
    if (std::ranges::any_of(all->curves, [](const auto& c) { return !c.probabilities.bins.empty(); }))
        out.push_back({"reliability", "On the line a probability is what it says. Bars: 95 % for the share (Wilson).",
                       reliability_panel(all)});
    if (!all->importance.empty())
        out.push_back({"importance",
                       "How much worse the model is with one feature shuffled. Whiskers: 95 % over other examples and "
                       "other shuffles. Features that say the same share their importance.",
                       importance_panel(all)});
    return out;
}

}  // namespace mercer
