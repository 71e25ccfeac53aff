// Dual coordinate descent for linear support vector machines (Hsieh, Chang, Lin, Keerthi, Sundararajan, ICML 2008):
//
//     min  ½‖w‖² + Σ Cᵢ ξ(yᵢwᵀxᵢ)        ξ(m) = max(0, 1-m)   (L1 loss)   or   max(0, 1-m)²   (L2 loss)
//
// through its dual  min ½‖Σ αᵢyᵢxᵢ‖² + ½Σ Dᵢαᵢ² - Σαᵢ, 0 <= αᵢ <= Uᵢ, with D = 0, U = C for L1 and Dᵢ = 1/(2Cᵢ), U = ∞
// for L2. w = Σαᵢyᵢxᵢ is updated, so a step along one variable reads one row: its gradient is G = yᵢwᵀxᵢ - 1 + Dᵢαᵢ,
// and its optimal value α - G/(‖xᵢ‖² + Dᵢ), clipped to the bounds. There is no constraint Σαy = 0 because there is no
// free offset. LIBLINEAR's -B appends a constant coordinate B to each row (data/vectors.h), which makes b = B·w_last an
// offset that is penalised by b²/(2B²): a large B gives a small penalty and slower convergence.
//
// Each epoch visits the active variables in a new random order. A variable at a bound is shrunk if its gradient points
// outwards by more than the largest projected gradient of the last epoch. The descent ends when, over all variables,
// the largest and the smallest projected gradient differ by <= tol (LIBLINEAR's -e). Then w is recomputed from α and
// both objectives are computed from it, so the gap in the result has no accumulated rounding error.
#pragma once

#include <limits>

#include "mercer/base/matrix_view.h"
#include "mercer/solvers/linear_svm/hinge_problem.h"

namespace mercer {

enum class hinge_power { l1, l2 };  // L1: the hinge, LIBLINEAR's -s 3; L2: its square, -s 1

// Options of solve_dual_coordinate_descent() and solve_l1_coordinate_descent().
struct coordinate_descent_options {
    hinge_power loss = hinge_power::l1;
    double tol = 0.1;  // tolerance of the projected gradients (LIBLINEAR's -e; see the two solvers)
    bool shrinking = true;
    std::int64_t max_epochs = 1000;
    double max_seconds = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 1;
    // Called after each epoch with the current w; primal and dual are NaN unless `evaluate_objectives`. If it returns
    // false, the descent ends with the current w.
    std::function<bool(const descent_progress&)> progress;
    bool evaluate_objectives = false;
};

// Solves the problem with ½‖w‖². b of the result is 0, because the offset, if there is one, is the weight of a constant
// coordinate; `primal` and `dual` are the objectives above. Cost: one pass over the entries of the active rows per
// epoch.
descent_result solve_dual_coordinate_descent(const hinge_problem& problem, const coordinate_descent_options& options);

// Coordinate descent for linear support vector machines with sparse w (Yuan, Chang, Hsieh, Lin, JMLR 11, 2010, section
// 4):
//
//     min  ‖w‖₁ + Σ Cᵢ max(0, 1 - yᵢwᵀxᵢ)²
//
// A step changes one coordinate, wⱼ ← wⱼ + td. With L' the derivative of the loss and L″ its second derivative over the
// examples that have one, d minimises |wⱼ + d| + L'd + ½L″d², and t is the first of 1, ½, ¼, ... for which the
// objective decreases by at least 1 % of the decrease predicted from L' and ‖w‖₁. L″ over all examples bounds the
// curvature of the loss everywhere; for most steps this bound proves the decrease without evaluating the loss.
// bᵢ = 1 - yᵢwᵀxᵢ is updated.
//
// vⱼ, the distance of 0 from the subdifferential of the objective, is |L' + sign wⱼ|, or max(0, |L'| - 1) where wⱼ = 0.
// A coordinate with wⱼ = 0 is shrunk if |L'| < 1 - v/n, where v is the largest vⱼ of the last epoch. The descent ends
// when Σvⱼ over all coordinates is at most tol·(size of the smaller class)/n of its value in the first epoch
// (LIBLINEAR's -s 5 -e). The gap in the result is that to the dual
//
//     max  Σαᵢ - Σ αᵢ²/(4Cᵢ)      |Σ αᵢyᵢxᵢⱼ| <= 1 for all j,  α >= 0
//
// at αᵢ = 2Cᵢmax(0, bᵢ), scaled to be feasible.
//
// Solves the problem with ‖w‖₁. y[i] is ±1, 0 < C[i] < ∞, and options.loss must be hinge_power::l2, the squared hinge.
descent_result solve_l1_coordinate_descent(const compressed_columns& x, std::span<const double> y,
                                           std::span<const double> C, const coordinate_descent_options& options);

}  // namespace mercer
