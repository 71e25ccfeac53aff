// The lines that LIBSVM prints about a fit.
#pragma once

#include <span>

#include "mercer/methods/svm/fit_svm.h"

namespace mercer::programs {

// Prints LIBSVM's lines for each binary problem of the model; `rows` are the examples of y that the model was trained
// on.
void print_reports(const svm_model& model, const svm_options& options, std::span<const double> y,
                   std::span<const index> rows);

}  // namespace mercer::programs
