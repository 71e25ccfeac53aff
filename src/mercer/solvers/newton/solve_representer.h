// Minimises, over functions f = Σαᵢk(xᵢ, ·) + b,
//
//     P(α, b) = Σ wᵢℓ(yᵢ, fᵢ) + λ/2 αᵀKα,     fᵢ = (Kα)ᵢ + b          (b = 0 without an intercept)
//
// for any convex loss. By the representer theorem this is the minimiser over the whole function space of the kernel. K
// is read through gram<double> only.
//
// Smooth losses: Newton's method. Let gᵢ = wᵢℓ'(fᵢ), D = diag(wᵢℓ''(fᵢ)) and r = g + λα, which is zero at the minimum.
// A step solves
//     (λI + DK)Δα + D1Δb = -r,  1ᵀ(α + Δα) = 0.
// If time and memory allow, it is solved by a Cholesky decomposition, in symmetric form and only for the examples of
// positive curvature. Otherwise it is solved by conjugate gradients, accurately enough for superlinear convergence
// (Dembo, Eisenstat, Steihaug 1982). After every step b is minimised exactly, and the step is halved until P falls
// enough.
//
// Stopping rule, in double: the duality gap to the dual point a = -g/λ. That point is feasible, since Σg = 0 for the
// best b. By Fenchel's equality
//     P(α) - P* <= gap = λ/2 (α-a)ᵀK(α-a) = rᵀKr/(2λ)  <=  tol·|P|,
// where Kα is recomputed and not updated.
//
// Losses with corners: Newton's method is applied to a smoothed loss (smoothed_loss in loss.h), in rounds. Each round
// takes the dual variables u of the previous one as its centre and may use a smaller μ. The gap is that of the original
// problem, by the conjugate: P(α, b) + Σwᵢℓ*(uᵢ) + λ/2 aᵀKa with a = -wu/λ.
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

// How the equations of a Newton step are solved. automatic: by Cholesky decomposition if time and memory allow.
enum class newton_system { automatic, cholesky, conjugate_gradient };

// Options of solve_representer().
struct representer_options {
    double lambda = 1;  // > 0
    bool intercept = false;
    double tol = 1e-6;     // bound on the gap, relative to |P|
    int max_rounds = 500;  // Newton steps, over all μ
    newton_system system = newton_system::automatic;
    std::size_t memory_bytes = std::size_t{1} << 30;  // limit of the matrix of a Newton step
    // Called before every step and every product within a step. Returns false to stop with the current α.
    std::function<bool(int rounds, double objective, double gap)> progress{};
    // For smooth losses only: `keep` receives the state after every step. `start` is such a state; the resumed solution
    // is bit-identical to one that was never interrupted.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
};

// The result of solve_representer(). Two values of `status` have a special meaning. stationary: the stopping rule is
// met, but K is not proven to be positive semidefinite, so that the duality gap is not a bound (callers that have the
// kernel set this status). stalled: P does not fall any further, because of rounding or because K is not positive
// semidefinite; the duality gap bounds the distance from the minimum.
struct representer_result {
    std::vector<double> alpha;
    double offset = 0;
    std::vector<double> f;  // Kα + b
    double objective = 0;   // P
    double gap = 0;         // recomputed, for the original problem
    fit_status status = fit_status::step_limit;
    int rounds = 0;             // Newton steps
    std::int64_t products = 0;  // number of products with K
};

// Minimises P. y contains one target per row of K. Weights must be > 0; empty: all 1. Targets must be valid for the
// loss (±1, >= 0, …).
representer_result solve_representer(const gram<double>& K, std::span<const double> y, std::span<const double> weight,
                                     const loss& l, const representer_options& options);

}  // namespace mercer
