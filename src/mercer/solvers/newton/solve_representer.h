// The minimiser over f = Σαᵢk(xᵢ, ·) + b, which by the representer theorem is the one over all functions of the
// kernel's space, of
//
//     P(α, b) = Σ wᵢℓ(yᵢ, fᵢ) + λ/2 αᵀKα,     fᵢ = (Kα)ᵢ + b          (b = 0 unless asked for)
//
// for any convex loss. K is seen only through gram<double>.
//
// Smooth losses: Newton's method. With gᵢ = wᵢℓ'(fᵢ), D = diag(wᵢℓ''(fᵢ)) and r = g + λα (zero at the minimum) a step
// solves
//     (λI + DK)Δα + D1Δb = -r,  1ᵀ(α + Δα) = 0,
// by a Cholesky decomposition, symmetrically and only on the examples of positive curvature, where that is small enough
// for time and memory, else by conjugate gradients, exact enough for superlinear convergence (Dembo, Eisenstat,
// Steihaug 1982). After every step b is minimised over exactly, and the step is halved until P falls enough.
//
// Stopping rule, in double: the gap to the dual point a = -g/λ, which is feasible since Σg = 0 when b is the best one.
// By Fenchel's equality
//     P(α) - P* <= gap = λ/2 (α-a)ᵀK(α-a) = rᵀKr/(2λ)  <=  tol·|P|,
// measured with Kα multiplied out afresh, not as it was carried along.
//
// Losses with corners: the same on a rounded loss (loss.h), round after round with the dual variables u as the next
// centre and a smaller μ; then the gap is that of the problem itself, through the conjugate: P(α, b) + Σwᵢℓ*(uᵢ) + λ/2
// aᵀKa with a = -wu/λ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/gram/gram.h"
#include "mercer/solvers/newton/loss.h"

namespace mercer {

enum class newton_system { automatic, cholesky, conjugate_gradient };

struct representer_options {
    double lambda = 1;  // > 0
    bool intercept = false;
    double tol = 1e-6;      // of the gap, relative to |P|
    int most_rounds = 500;  // Newton steps, over all μ
    newton_system system = newton_system::automatic;
    std::size_t memory_bytes = std::size_t{1} << 30;  // for the matrix of a Newton step
    std::function<bool(int rounds, double objective, double gap)>
        progress{};  // before every step and product within; false: stop and keep what there is
    // Of a smooth loss: what is needed to go on, after every step; and such a state to start from, with the bits of a
    // solution that was never interrupted.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
};

// How it ends: stationary: the stopping rule is met, but nothing says that K is positive semidefinite, without which it
// proves nothing (set by those who know the kernel). stalled: rounding, or a matrix that is not positive semidefinite,
// lets P fall no further; the gap says how far it came.
struct representer_result {
    std::vector<double> alpha;
    double offset = 0;
    std::vector<double> f;  // Kα + b
    double objective = 0;   // P
    double gap = 0;         // measured, of the problem itself
    fit_status status = fit_status::step_limit;
    int rounds = 0;             // Newton steps
    std::int64_t products = 0;  // multiplications by K
};

// weight > 0 for all; empty: all 1. Targets are what the loss takes (±1, >= 0, …).
representer_result solve_representer(const gram<double>& K, std::span<const double> y, std::span<const double> weight,
                                     const loss& l, const representer_options& options);

}  // namespace mercer
