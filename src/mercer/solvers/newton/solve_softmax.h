// Multinomial logistic regression in the function space of a kernel. With C classes, an n × C matrix f and p the
// softmax of each of its rows, it computes
//
//     min over α, b of   P = -Σ wᵢ log p(i, yᵢ) + λ/2 Σ_c α_cᵀKα_c,     f = Kα + 1bᵀ      (b = 0 without an intercept)
//
// by Newton's method. Let G(i, c) = wᵢ(p(i, c) - [yᵢ = c]), Dᵢ = wᵢ(diag pᵢ - pᵢpᵢᵀ) and R = G + λα, which is zero at
// the minimum. A step solves
//     (λI + D'K)Δα = -R,   D' = D - D1(ΣDᵢ)⁻¹1ᵀD with an intercept, else D,
// by preconditioned conjugate gradients (conjugate_gradients.h), accurately enough for superlinear convergence. b is
// minimised after every step. Stopping rule, as in solve_representer.h: the gap to the dual point -G/λ satisfies Σ_c
// R_cᵀKR_c/(2λ) <= tol·P, in double.
#pragma once

#include <span>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/solvers/newton/solve_representer.h"

namespace mercer {

struct softmax_result {
    matrix<double> alpha;        // n × classes
    std::vector<double> offset;  // one per class, with sum 0
    matrix<double> f;
    double objective = 0;
    double gap = 0;
    fit_status status = fit_status::step_limit;
    int rounds = 0;
    std::int64_t products = 0;
};

// label[i] is the class of example i, 0 <= label[i] < classes. Weights must be > 0; empty: all 1. `system` is ignored.
softmax_result solve_softmax(const gram<double>& K, std::span<const index> label, index classes,
                             std::span<const double> weight, const representer_options& options);

// p ← softmax(f) for one row f
void softmax(std::span<const double> f, std::span<double> p);

}  // namespace mercer
