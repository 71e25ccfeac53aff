// What LIBSVM prints of a fit.
#pragma once

#include <span>

#include "mercer/methods/svm/fit_svm.h"

namespace mercer::programs {

// The lines LIBSVM prints for each binary problem, from the model; `rows` are the examples of y that it was trained on.
void print_reports(const svm_model& model, const svm_options& options, std::span<const double> y,
                   std::span<const index> rows);

}  // namespace mercer::programs
