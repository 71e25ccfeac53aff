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
#pragma once

#include "mercer/base/linear_operand.h"
#include "mercer/solvers/linear_svm/coordinate_descent.h"

namespace mercer {

// y is ±1, 0 < C < ∞. The options' loss must be the squared one.
descent_result solve_l1_coordinate_descent(const compressed_columns& x, std::span<const double> y,
                                           std::span<const double> C, const coordinate_descent_options& options);

}  // namespace mercer
