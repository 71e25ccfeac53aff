// Fits support vector machines with probabilities: calibrate() adds probabilities to a model by cross-validation,
// fit_calibrated() fits the model and its probabilities from a kernel, a user's function or a matrix of kernel values.
//
// Example:
//
//     const table data = read_table("data/heart_scale.svm");
//     const calibrated_fit made =
//         fit_calibrated(gaussian{0.1}, data.x, data.y, svm_options{}, {.folds = 5}, gibibytes(1));
//     const matrix<double> p = predict_probability(made.model, data.x);  // 270 × 2
//     assert(std::abs(p(0, 0) + p(0, 1) - 1) < 1e-12);
#pragma once

#include <cstdint>
#include <span>

#include "mercer/methods/svm/calibration.h"
#include "mercer/methods/svm/cross_validation.h"

namespace mercer {

// Fits model.probability to decision values of the examples from cross-validation with `folds` stratified folds. y
// contains one target per example, and `options` must be those of the fit of the model. Examples of weight 0 are in no
// fold; with canonical_order the folds do not depend on the order of the examples. `rank`: the ranks of the examples in
// the canonical order (canonical_order.h), if only the kernel matrix is given. Returns how the fits of the folds ended.
// Throws errc::unsupported for one-class models, which have no probabilities.
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

// The result of fit_calibrated().
struct calibrated_fit {
    svm_model model;
    inner_fits calibration{};  // how the fits of the cross-validation ended
};

// The cross-validation that fits the probabilities.
struct calibration_plan {
    int folds = 0;  // 0: no probabilities
    std::uint64_t seed = 1;
};

// Returns true if a user's function is part of the kernel.
bool has_user_function(const kernel& k);

// Fits the model and, if plan.folds > 0, its probabilities. Because calling a user's function may take longer than
// evaluating thousands of kernel values, the whole kernel matrix of such a kernel is computed at once if it fits into
// `bytes`; throws errc::data if it is not finite and symmetric.
calibrated_fit fit_calibrated(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options,
                              const calibration_plan& plan, std::size_t bytes);
calibrated_fit fit_calibrated(matrix_view<const double> K, std::span<const double> y, const svm_options& options,
                              const calibration_plan& plan);

}  // namespace mercer
