// A support vector machine with its probabilities, in one call: from a kernel, a user's function or a matrix of kernel
// values.
#pragma once

#include <cstdint>
#include <span>

#include "mercer/methods/svm/calibration.h"
#include "mercer/methods/svm/cross_validation.h"

namespace mercer {

// Fits the probabilities of a machine by cross-validation.

// Fits model.probability by cross-validation: the examples, in `folds` stratified parts, are decided by models of the
// other parts. `options` are those the model was fitted with; examples of weight 0 belong to no part, and with
// any_order the parts do not depend on the order of the examples either. `rank`: their places in such an order, where
// the kernel matrix alone is given. One-class models have no probabilities. The result tells how those fits ended.
[[nodiscard]] inner_fits calibrate(svm_model& model, const kernel& k, const dataset& x, std::span<const double> y,
                                   const svm_options& options,
                                   calibration::method method = calibration::method::sigmoid, int folds = 5,
                                   std::uint64_t seed = 1);
[[nodiscard]] inner_fits calibrate_precomputed(svm_model& model, matrix_view<const double> K, std::span<const double> y,
                                               const svm_options& options,
                                               calibration::method method = calibration::method::sigmoid, int folds = 5,
                                               std::uint64_t seed = 1);
[[nodiscard]] inner_fits calibrate(svm_model& model, const shared_gram& K, std::span<const double> y,
                                   const svm_options& options,
                                   calibration::method method = calibration::method::sigmoid, int folds = 5,
                                   std::uint64_t seed = 1, std::span<const index> rank = {});

struct calibrated_fit {
    svm_model model;
    inner_fits calibration{};  // how the fits behind the probabilities ended
};

struct calibration_plan {
    int folds = 0;  // 0: no probabilities
    std::uint64_t seed = 1;
};

// Is a user's function part of the kernel?
bool has_user_function(const kernel& k);

// A call of a user's function may cost more than thousands of its values: all of them are taken at once where they fit
// into `bytes`. They may be anything, and must be finite and symmetric.
calibrated_fit fit_calibrated(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options,
                              const calibration_plan& plan, std::size_t bytes);
calibrated_fit fit_calibrated(matrix_view<const double> K, std::span<const double> y, const svm_options& options,
                              const calibration_plan& plan);

}  // namespace mercer
