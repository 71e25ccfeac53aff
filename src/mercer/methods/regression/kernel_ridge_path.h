// Kernel ridge regression of the examples H held out from the training examples T of a fold, for many λ: the inner loop
// of a search over λ and the kernel's parameters.
//
//     f_H = K_HT (K_TT + λI)⁻¹ y_T
//
// For many λ K_TT is reduced to a band once (dense/band_reduction.h), 4/3 n³ operations; a few are a Cholesky
// decomposition each, n³/3 and quicker ones.
#pragma once

#include <span>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

// A list for each λ; empty where K_TT + λI is not positive definite.
std::vector<std::vector<double>> predict_along_penalties(const gram<double>& K, std::span<const double> y,
                                                         const std::vector<index>& training,
                                                         const std::vector<index>& held_out,
                                                         std::span<const double> lambdas);

}  // namespace mercer
