// (Sub)gradient descent on the primal of the linear support vector machine,
//
//     J(w, b) = ½‖w‖² + Σ Cᵢ max(0, 1 - yᵢ(wᵀxᵢ + b)),      ∂J/∂w = w - Σ_{y f < 1} Cᵢyᵢxᵢ,   ∂J/∂b = -Σ_{y f < 1}
//     Cᵢyᵢ.
//
// A step is w ← (1-η)w + η g with g = Σ_{y f < 1} Cᵢyᵢxᵢ over all examples (batch), or (n/k) times the sum over k of
// them drawn without replacement (mini-batch, k = 1: stochastic). Steps: constant η₀, η₀/t, η₀/√t; for the batch also
// the η that is best for the dual (below). An average over the steps, the later ones weighing more (weight t), may be
// taken as the answer.
//
// b is left out, moved along its subgradient, or set where J is least for this w (hinge_problem.h): each step of the
// batch, each epoch otherwise.
//
// A dual point comes for free: with αᵢ ← (1-η)αᵢ + η·(Cᵢ, or (n/k)Cᵢ, where example i is violated), w = Σαᵢyᵢxᵢ holds
// from w = 0 on. Batch steps keep 0 <= α <= C by themselves and, with the best b, Σαy = 0: they are conditional
// gradient steps on the dual (Bach, SIAM J. Optimization 25, 2015), whose best η is the gap over ‖g - w‖². Otherwise α
// is clipped and balanced before its value is taken.
//
// It ends when the gap, (J - D)/J <= tol, or when J changes by less than `change`·J between two looks, or at a limit.
#pragma once

#include <limits>

#include "mercer/solvers/linear_svm/hinge_problem.h"

namespace mercer {

enum class step_schedule { constant, inverse, inverse_root, best };  // `best` needs the batch
enum class offset_rule { none, subgradient, exact };

struct subgradient_options {
    index batch = 0;  // examples a step; 0: all
    step_schedule schedule = step_schedule::inverse;
    double eta = 1;  // η₀, 0 < η₀ <= 1
    bool average = false;
    offset_rule offset = offset_rule::exact;
    double tol = 1e-2;
    double change = 0;
    std::int64_t most_epochs = 1000;
    std::int64_t look_every = 1;  // epochs between two looks at J and D
    double most_seconds = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 1;
    std::function<bool(const descent_progress&)> progress;  // at each look; false: stop and keep what there is
};

descent_result solve_subgradient(const hinge_problem& problem, const subgradient_options& options);

}  // namespace mercer
