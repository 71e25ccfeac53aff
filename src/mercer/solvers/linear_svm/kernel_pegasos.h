// Kernel Pegasos: the steps of solvers/linear_svm/pegasos.h without ever writing w = Σαᵢyᵢφ(xᵢ) down.
//
// With counts cᵢ, the number of steps that found example i violated, and t steps taken, wₜ = (1/(λt)) Σ cᵢyᵢφ(xᵢ)/k
// (vᵢcᵢ with weights), so
//
//     cₛ ← cₛ + 1   where   yₛ·(1/(λt)) Σᵢ cᵢyᵢk(xᵢ, xₛ)/k < 1,
//
// for the k examples s of a step at once. The values f = K(c·y) of all examples are kept, so looking whether an example
// is violated costs nothing and each one that is costs its row of K: the rows of a step are one block. The order of the
// examples and every number that follows are those of Pegasos without an offset: with a linear kernel and the same seed
// both take the same steps.
//
// J = ½αᵀYKYα + Σ Cᵢ max(0, 1 - yᵢfᵢ), αᵢ = cᵢCᵢ(n/k)/t, is known at every step; D as in hinge_problem.h from α clipped
// to its box (and balanced for an offset), at the price of one product with K where that changed α. Ends as Pegasos
// does.
#pragma once

#include "mercer/gram/gram.h"
#include "mercer/solvers/linear_svm/pegasos.h"

namespace mercer {

// Here w of the result and of progress is empty; `coef` are the signed coefficients, f(x) = Σ coefᵢ k(xᵢ, x) + b.
// `project` is not offered.
struct kernel_pegasos_result {
    descent_result descent;
    std::vector<double> coef;
};

// K is symmetric, y is ±1, 0 < C < ∞.
template <class T>
kernel_pegasos_result solve_kernel_pegasos(const gram<T>& K, std::span<const double> y, std::span<const double> C,
                                           const pegasos_options& options);

extern template kernel_pegasos_result solve_kernel_pegasos(const gram<float>&, std::span<const double>,
                                                           std::span<const double>, const pegasos_options&);
extern template kernel_pegasos_result solve_kernel_pegasos(const gram<double>&, std::span<const double>,
                                                           std::span<const double>, const pegasos_options&);

}  // namespace mercer
