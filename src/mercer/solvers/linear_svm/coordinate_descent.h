// Dual coordinate descent for linear support vector machines (Hsieh, Chang, Lin, Keerthi, Sundararajan, ICML 2008):
//
//     min  ½‖w‖² + Σ Cᵢ ξ(yᵢwᵀxᵢ)        ξ(m) = max(0, 1-m)   (L1 loss)   or   max(0, 1-m)²   (L2 loss)
//
// through its dual  min ½‖Σ αᵢyᵢxᵢ‖² + ½Σ Dᵢαᵢ² - Σαᵢ, 0 <= αᵢ <= Uᵢ, with D = 0, U = C for L1 and Dᵢ = 1/(2Cᵢ), U = ∞
// for L2. w = Σαᵢyᵢxᵢ is kept, so one variable costs one row: its gradient is G = yᵢwᵀxᵢ - 1 + Dᵢαᵢ, its best value α -
// G/(‖xᵢ‖² + Dᵢ), clipped. There is no Σαy = 0 because there is no free offset. LIBLINEAR's -B gives each row a
// constant coordinate B (data/vectors.h), which makes b = B·w_last an offset that is penalised by b²/(2B²): large
// B, small penalty, slower descent.
//
// Each epoch visits the active variables in a new order. A variable at a bound whose gradient points outwards by more
// than the largest projected gradient of the epoch before is set aside. It ends when, over all variables, the largest
// and the least projected gradient differ by
// <= tol (LIBLINEAR's -e); then w is summed up anew and both objectives are taken in double: the gap in the result is
// the true one.
#pragma once

#include <limits>

#include "mercer/base/matrix_view.h"
#include "mercer/solvers/linear_svm/hinge_problem.h"

namespace mercer {

enum class hinge_power { l1, l2 };  // L1: the hinge, LIBLINEAR's -s 3; L2: its square, -s 1

struct coordinate_descent_options {
    hinge_power loss = hinge_power::l1;
    double tol = 0.1;
    bool shrinking = true;
    std::int64_t most_epochs = 1000;
    double most_seconds = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 1;
    // After each epoch, with w as it is; primal and dual are not taken (NaN) unless `measured`. False: stop and keep
    // what there is.
    std::function<bool(const descent_progress&)> progress;
    bool measured = false;
};

// b of the result is 0. `primal` and `dual` are of the problem above.
descent_result solve_dual_coordinate_descent(const hinge_problem& problem, const coordinate_descent_options& options);

// Coordinate descent for linear support vector machines whose w has few coordinates (Yuan, Chang, Hsieh, Lin, JMLR 11,
// 2010, section 4):
//
//     min  ‖w‖₁ + Σ Cᵢ max(0, 1 - yᵢwᵀxᵢ)²
//
// One coordinate at a time, wⱼ ← wⱼ + td: with L' and L″ the derivatives of the loss, L″ taken over the examples that
// have one, d makes |wⱼ + d| + L'd + ½L″d² least, and t = 1, ½, ¼, ... is the first for which the objective falls by 1
// % of what d promises. The loss curves nowhere more than with all examples, a bound that settles most steps without a
// look at the examples. bᵢ = 1 - yᵢwᵀxᵢ is kept.
//
// vⱼ, how far 0 is from the subgradient of the objective, is |L' + sign wⱼ|, or max(0, |L'| - 1) where wⱼ = 0. A
// coordinate at 0 with |L'| less than 1 by more than the largest vⱼ of the epoch before, over n, is set aside. It ends
// when Σvⱼ over all coordinates is at most tol·(rarer class)/n of what it was in the first epoch (LIBLINEAR's -s 5 -e).
// The dual
//
//     max  Σαᵢ - Σ αᵢ²/(4Cᵢ)      |Σ αᵢyᵢxᵢⱼ| <= 1 for all j,  α >= 0
//
// at 2Cᵢmax(0, bᵢ), scaled until it is feasible, says how far w is from the optimum: the gap in the result.

// y is ±1, 0 < C < ∞. The options' loss must be the squared one.
descent_result solve_l1_coordinate_descent(const compressed_columns& x, std::span<const double> y,
                                           std::span<const double> C, const coordinate_descent_options& options);

}  // namespace mercer
