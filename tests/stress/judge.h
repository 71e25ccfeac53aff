// Checks coefficients by the definition of the problem alone: kernel values from their formula and sums in double,
// independent of what the solver reports. The same checks apply to the results of other libraries.
//
// In every dual, ½αᵀKα - pᵀα over a box with fixed sums in groups, α is optimal if max{Fᵢ : αᵢ may increase} <= min{Fⱼ
// : αⱼ may decrease} in every group, F = p - Kα; the difference is the gap. For feasible α and β of a convex problem
// f(α) - f(β) <= Fᵀ(β - α) <= gap·‖α - β‖₁/2.
#pragma once

#include <string>
#include <vector>

#include "stress/problem.h"

namespace mercer::stress {

// Signed coefficients of all examples in one two-class problem (or the only problem), and its offset.
struct machine {
    double first = 0, second = 0;  // labels of the positive and the negative side; equal: one label against all others
    std::vector<double> coef;      // one for each example; 0 for examples of other problems
    double offset = 0;
    bool no_margin = false;  // ν-classification: the coefficients were not divided
};

struct verdict {
    double gap = 0;
    double allowed_gap = 0;  // for the given tolerance
    double objective = 0;    // ½αᵀKα - pᵀα
    double noise = 0;        // bound on the rounding error of F in double
    double duality = 0;      // primal - dual, and its bound for a gap of tol
    double allowed_duality = 0;
    double reach = 0;           // ν-regression: upper bound on ‖α - β‖₁, which does not follow from α - α*
    std::vector<double> alpha;  // of the examples of this problem, in the form of the dual
    std::string infeasible;     // empty: α is in its box and its sums
};

std::vector<machine> machines(const problem& p, const std::vector<double>& classes, multiclass scheme,
                              const std::vector<index>& support, const std::vector<std::vector<double>>& coef,
                              const std::vector<double>& offset);
verdict judge(const problem& p, const machine& m);

}  // namespace mercer::stress
