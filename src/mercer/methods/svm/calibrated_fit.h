// A support vector machine with its probabilities, in one call: from a kernel, a user's function or a matrix of kernel
// values.
#pragma once

#include "mercer/methods/svm/calibrate.h"

namespace mercer {

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
