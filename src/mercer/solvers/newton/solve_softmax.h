// Multinomial logistic regression in a kernel's space: with C classes, f an n × C matrix and p the softmax of each of
// its rows,
//
//     min over α, b of   P = -Σ wᵢ log p(i, yᵢ) + λ/2 Σ_c α_cᵀKα_c,     f = Kα + 1bᵀ      (b = 0 unless asked for)
//
// by Newton's method. With G(i, c) = wᵢ(p(i, c) - [yᵢ = c]), Dᵢ = wᵢ(diag pᵢ - pᵢpᵢᵀ) and R = G + λα, zero at the
// minimum, a step solves
//     (λI + D'K)Δα = -R,   D' = D - D1(ΣDᵢ)⁻¹1ᵀD with offsets, else D,
// by preconditioned conjugate gradients (solvers/newton/conjugate_gradients.h), exact enough
// for superlinear convergence. b is minimised over after every step. Stopping rule, as in solve_representer.h: the gap
// to the dual point -G/λ,   Σ_c R_cᵀKR_c/(2λ) <= tol·P,   in double.
#pragma once

#include <span>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/solvers/newton/solve_representer.h"

namespace mercer {

struct softmax_result {
    matrix<double> alpha;        // n × classes
    std::vector<double> offset;  // of each class, their sum 0
    matrix<double> f;
    double objective = 0;
    double gap = 0;
    fit_status status = fit_status::step_limit;
    int rounds = 0;
    std::int64_t products = 0;
};

// label[i] is the class of example i, 0 <= label < classes; weight > 0 for all, empty: all 1. `system` is not
// used.
softmax_result solve_softmax(const gram<double>& K, std::span<const index> label, index classes,
                             std::span<const double> weight, const representer_options& options);

// p ← softmax of a row of f
void softmax(std::span<const double> f, std::span<double> p);

}  // namespace mercer
