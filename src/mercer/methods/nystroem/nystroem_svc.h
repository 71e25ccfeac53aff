// nystroem_svc with the hinge itself, which no Newton step helps with: the Nyström features φ(x) = T⁻ᵀk(Z, x)
// (methods/nystroem/nystroem_basis.h) of all examples, kept in memory, and a linear machine on them by dual coordinate
// descent (solvers/linear_svm/coordinate_descent.h),
//
//     min  Σ wᵢ max(0, 1 - yᵢf(xᵢ)) + 1/(2C) (‖f‖² + b²/k),     f(x) = γᵀφ(x) + b,   k the largest k(z, z):
//
// an offset is the weight of one more feature, as long as the others, and penalised like them. An epoch is a pass; it
// ends when the duality gap, measured after each, is at most tol of the objective.
#pragma once

#include "mercer/methods/nystroem/nystroem.h"

namespace mercer {

// Examples have places among the classes; more than two: one against the rest. on_sample: f of the rows to judge by,
// where it is not null.
nystroem_fit fit_hinge_on_features(const kernel_rows& x, std::span<const index> place, index classes,
                                   std::span<const double> weight, const nystroem_options& options, const char* owner,
                                   matrix<double>* on_sample);

}  // namespace mercer
