// The leave-one-out error of a support vector machine, and its bound #SV/n.
//
// Removing an example that is not a support vector does not change the optimum, and the example stays outside the
// margin. Such an example is classified correctly by the model fitted without it, which proves the bound, so it needs
// no fit. For every other example the model is refitted, starting from the α of the full model with the α of this
// example set to zero. All this requires that the model is an optimum (margin_report::no_bounds); for another model
// every example needs a fit.
#pragma once

#include <functional>
#include <span>

#include "mercer/inspection/margin_report.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/methods/svm/fit_svm.h"

namespace mercer {

// Estimates the leave-one-out error. `fitted` is the model of all examples with these options; its support_rows are
// rows of K. `y` contains one label per example. `progress` receives the completed fraction, from 0 to 1. `skip` =
// false refits for every example, which is necessary if `fitted` is not an optimum. Throws errc::unsupported for tasks
// other than c_svc.
error_estimate leave_one_out(const shared_gram& K, std::span<const double> y, const svm_options& options,
                             const svm_model& fitted, const std::function<void(double)>& progress = {},
                             bool skip = true);
// Estimates the error by stratified cross-validation with `folds` folds; `seed` determines the folds.
error_estimate cross_validation(const shared_gram& K, std::span<const double> y, const svm_options& options, int folds,
                                std::uint64_t seed = 1);

// Returns options that fit this model again, as far as the model, its report and the options `from` of the report
// contain them. A ν-classifier becomes the equivalent C-classifier.
svm_options refit_options(const svm_model& model, const margin_report& report, const margin_options& from);

}  // namespace mercer
