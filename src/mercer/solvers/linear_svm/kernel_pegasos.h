// Kernel Pegasos: the steps of solvers/linear_svm/pegasos.h with w = Σαᵢyᵢφ(xᵢ) represented by α.
//
// With counts cᵢ, the number of steps that found example i violated, and t steps taken, wₜ = (1/(λt)) Σ cᵢyᵢφ(xᵢ)/k
// (vᵢcᵢ with weights), so
//
//     cₛ ← cₛ + 1   where   yₛ·(1/(λt)) Σᵢ cᵢyᵢk(xᵢ, xₛ)/k < 1,
//
// for the k examples s of a step together. The values f = K(c·y) of all examples are updated, so testing an example
// takes constant time, and each violating example costs its row of K; the rows of a step are computed as one block. The
// order of the examples and all results are those of Pegasos: with a linear kernel, the same seed and no offset both
// take the same steps.
//
// J = ½αᵀYKYα + Σ Cᵢ max(0, 1 - yᵢfᵢ), αᵢ = cᵢCᵢ(n/k)/t, is known at every step. D is that of hinge_problem.h at α
// clipped to its bounds (and scaled to Σαy = 0 for an offset), which costs one product with K if clipping changes α.
// The conditions for ending are those of Pegasos.
#pragma once

#include "mercer/gram/gram.h"
#include "mercer/solvers/linear_svm/pegasos.h"

namespace mercer {

// w of `descent` and of the progress is empty. `coef` are the signed coefficients: f(x) = Σ coefᵢ k(xᵢ, x) + b.
struct kernel_pegasos_result {
    descent_result descent;
    std::vector<double> coef;
};

// K must be symmetric, y ±1, 0 < C < ∞. Fails with errc::unsupported if `project` is set.
template <class T>
kernel_pegasos_result solve_kernel_pegasos(const gram<T>& K, std::span<const double> y, std::span<const double> C,
                                           const pegasos_options& options);

extern template kernel_pegasos_result solve_kernel_pegasos(const gram<float>&, std::span<const double>,
                                                           std::span<const double>, const pegasos_options&);
extern template kernel_pegasos_result solve_kernel_pegasos(const gram<double>&, std::span<const double>,
                                                           std::span<const double>, const pegasos_options&);

}  // namespace mercer
