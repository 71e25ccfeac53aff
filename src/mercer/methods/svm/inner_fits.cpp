#include "mercer/methods/svm/inner_fits.h"

#include <fmt/format.h>

#include "mercer/methods/svm/svm.h"

namespace mercer {

void inner_fits::add(const svm_model& model) {
    for (const svm_report& report : model.reports) {
        const bool failed = !finished(report.status);
        // A gap that is not a number is worse than any.
        add(inner_fits{1, failed ? 1 : 0, failed ? report.gap : 0, failed ? report.status : fit_status::converged});
    }
}

void inner_fits::add(const inner_fits& others) {
    if (others.unfinished > 0 && (unfinished == 0 || !(others.worst_gap <= worst_gap)))
        worst_gap = others.worst_gap, worst = others.worst;
    fits += others.fits;
    unfinished += others.unfinished;
}

std::string inner_fits::trouble() const {
    if (unfinished == 0) return {};
    return fmt::format("{} of {} fits did not converge (the worst: {} at a gap of {:.3g})", unfinished, fits,
                       in_words(worst), worst_gap);
}

}  // namespace mercer
