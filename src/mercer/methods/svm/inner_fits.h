// How the fits inside a larger task ended: the folds of a cross-validation, the fits behind probabilities, one fit for
// every example left out.
#pragma once

#include <string>

#include "mercer/base/fit_status.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

struct svm_model;

struct inner_fits {
    index fits = 0;                            // binary problems
    index unfinished = 0;                      // of them, those that did not reach the tolerance
    double worst_gap = 0;                      // of the unfinished
    fit_status worst = fit_status::converged;  // of the fit with that gap

    void add(const svm_model& model);
    void add(const inner_fits& others);
    // "3 of 5 fits did not converge (the worst: stalled at a gap of 37)"; empty where all did.
    std::string trouble() const;
};

}  // namespace mercer
