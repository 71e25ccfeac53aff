#include "evaluation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "program.h"

namespace mercer::cli {
namespace {

using lines = std::vector<std::vector<std::string>>;

std::string short_number(double v) { return std::isfinite(v) ? fmt::format("{:.4g}", v) : "-"; }
std::string range(const interval& r) {
    return std::isfinite(r.low) ? fmt::format("{:.4g} to {:.4g}", r.low, r.high) : "-";
}

// The first column stands left, the others right.
std::string with_names(const lines& all) {
    std::vector<bool> right(all[0].size(), true);
    right[0] = false;
    return aligned(all, right);
}

std::string metrics_text(const evaluation& all) {
    lines out{{"metric", "value", "95 %", "by"}};
    for (const evaluated_metric& m : all.metrics) out.push_back({m.name, short_number(m.value), range(m.range), m.by});
    return aligned(out, {false, true, true, false}) + fmt::format("bootstrap: {} draws\n", all.resamples);
}

std::string confusion_text(const evaluation& all) {
    constexpr std::size_t most = 20;
    if (all.names.size() > most)
        return fmt::format("\nThe confusion matrix of {} classes is too wide to print: --json or --html has it\n",
                           all.names.size());
    lines out{{"is \\ said"}};
    for (const auto& name : all.names) out[0].push_back(name);
    for (index i = 0; i < all.table.count.rows(); ++i) {
        out.push_back({all.names[static_cast<std::size_t>(i)]});
        for (index j = 0; j < all.table.count.cols(); ++j)
            out.back().push_back(fmt::format("{}", all.table.count(i, j)));
    }
    return "\n" + with_names(out);
}

std::string classes_text(const evaluation& all) {
    lines out{{"class", "precision", "95 %", "recall", "95 %", "F1", "support", "ROC area", "average precision"}};
    for (const class_figures& c : all.classes) {
        const auto at = std::ranges::find(all.curves, c.label, &class_curves::label);
        const bool ranked = at != all.curves.end() && !at->order.points.empty();
        out.push_back({all.name_of(c.label), short_number(c.precision), range(c.of_precision), short_number(c.recall),
                       range(c.of_recall), short_number(c.f1), fmt::format("{}", c.support),
                       ranked ? short_number(at->order.area) : "",
                       ranked ? short_number(at->order.average_precision) : ""});
    }
    return "\n" + with_names(out);
}

std::string calibration_text(const evaluation& all) {
    std::string out;
    for (const class_curves& c : all.curves)
        if (!c.probabilities.bins.empty())
            out += fmt::format("probabilities of {}: off by {:.4g} on average, Brier score {:.4g}\n",
                               all.name_of(c.label), c.probabilities.calibration_error, c.probabilities.brier);
    return out.empty() ? out : "\n" + out;
}

std::string importance_text(const evaluation& all) {
    constexpr std::size_t most = 30;
    std::vector<const feature_importance*> order;
    for (const feature_importance& f : all.importance) order.push_back(&f);
    std::ranges::stable_sort(order, std::ranges::greater{}, &feature_importance::mean);
    lines out{{"feature", all.importance_metric + " worse by", "95 %"}};
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
        out.push_back({all.feature(order[i]->column), short_number(order[i]->mean), range(order[i]->of_mean)});
    return "\n" + with_names(out) +
           (order.size() > most ? fmt::format("and {} more: --json has all\n", order.size() - most) : "");
}

}  // namespace

std::string evaluation_text(const evaluation& all) {
    std::string out = metrics_text(all);
    if (all.of == answer::values) {
        const residual_figures& r = all.residuals;
        out +=
            fmt::format("\nresiduals: mean {:.4g}, standard deviation {:.4g}, from {:.4g} to {:.4g}, median {:.4g}\n",
                        r.mean, r.deviation, r.smallest, r.largest, r.median);
    } else {
        out += confusion_text(all) + classes_text(all) + calibration_text(all);
    }
    if (!all.importance.empty()) out += importance_text(all);
    return out;
}

}  // namespace mercer::cli
