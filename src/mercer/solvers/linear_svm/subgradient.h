// (Sub)gradient descent on the primal of the linear support vector machine,
//
//     J(w, b) = ½‖w‖² + Σ Cᵢ max(0, 1 - yᵢ(wᵀxᵢ + b)),
//     ∂J/∂w = w - Σ_{y f < 1} Cᵢyᵢxᵢ,   ∂J/∂b = -Σ_{y f < 1} Cᵢyᵢ.
//
// A step is w ← (1-η)w + η g with g = Σ_{y f < 1} Cᵢyᵢxᵢ over all examples (batch), or (n/k) times the sum over k
// examples sampled without replacement (mini-batch; k = 1: stochastic). Step lengths are η₀, η₀/t or η₀/√t, and for the
// batch also the η that is optimal for the dual (below). The result is the last w or the average over the steps with
// weight t for step t.
//
// b is left out, moved along its subgradient, or set to the minimiser of J for the current w (hinge_problem.h) in each
// step of the batch, otherwise after each epoch.
//
// The steps give a dual point at no cost: with αᵢ ← (1-η)αᵢ + η·(Cᵢ or (n/k)Cᵢ if example i violates the margin, else
// 0), w = Σαᵢyᵢxᵢ holds from w = 0 on. Batch steps keep 0 <= α <= C and, with the optimal b, Σαy = 0: they are
// conditional gradient steps on the dual (Bach, SIAM J. Optimization 25, 2015), whose optimal η is the gap divided by
// ‖g - w‖². Otherwise α is clipped and scaled to Σαy = 0 before D is evaluated.
//
// The descent ends when (J - D)/J <= tol, when J changes by less than `change`·J between two evaluations, or at a
// limit.
#pragma once

#include <limits>

#include "mercer/solvers/linear_svm/hinge_problem.h"

namespace mercer {

enum class step_schedule { constant, inverse, inverse_root, best };  // `best` needs the batch
enum class offset_rule { none, subgradient, exact };

// Options of solve_subgradient().
struct subgradient_options {
    index batch = 0;  // examples per step; 0: all
    step_schedule schedule = step_schedule::inverse;
    double eta = 1;  // η₀, 0 < η₀ <= 1
    bool average = false;
    offset_rule offset = offset_rule::exact;
    double tol = 1e-2;  // tolerance of the relative duality gap (J - D)/J
    double change = 0;  // also stop if J changes by less than change·J between two evaluations; 0: never
    std::int64_t max_epochs = 1000;
    std::int64_t evaluate_every = 1;  // epochs between two evaluations of J and D
    double max_seconds = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 1;
    // Called after each evaluation. If it returns false, the descent ends with the best result so far.
    std::function<bool(const descent_progress&)> progress;
};

descent_result solve_subgradient(const hinge_problem& problem, const subgradient_options& options);

}  // namespace mercer
