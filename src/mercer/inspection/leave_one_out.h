// The leave-one-out error of a support vector machine, and its cheap bound #SV/n.
//
// Without an example that is no support vector, the optimum stays what it is and the example is still outside its
// margin: such examples are never errors, which is the bound, and never need a fit. The others are refitted, each from
// the α of the full model with its own set to zero. All that needs an optimum (margin_report::no_bounds): of another
// model every example is left out.
#pragma once

#include <functional>
#include <span>

#include "mercer/inspection/margin_report.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/methods/svm/fit_svm.h"

namespace mercer {

// `fitted` is the model of all examples with these options; its support_rows are rows of K. `progress` is told the
// share done. `skip` false: fits for every example, which is needed where `fitted` is not an optimum.
error_estimate leave_one_out(const shared_gram& K, std::span<const double> y, const svm_options& options,
                             const svm_model& fitted, const std::function<void(double)>& progress = {},
                             bool skip = true);
error_estimate cross_validation(const shared_gram& K, std::span<const double> y, const svm_options& options, int folds,
                                std::uint64_t seed = 1);

// The options that fit this model again, as far as it and its report know them.
svm_options refit_options(const svm_model& model, const margin_report& report, const margin_options& from);

}  // namespace mercer
