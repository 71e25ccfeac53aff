// What coefficients are worth, from the definition of the problem alone: kernel values by their formula, sums in
// double, and nothing that the solver has said. The same judge serves other libraries' answers.
//
// In every dual, ½αᵀKα - pᵀα over a box with sums fixed in groups, α is optimal when max{Fᵢ : αᵢ may rise} <= min{Fⱼ :
// αⱼ may fall} in every group, F = p - Kα; the difference is the gap. For feasible α and β of a convex problem f(α) -
// f(β) <= Fᵀ(β - α) <= gap·‖α - β‖₁/2.
#pragma once

#include <string>
#include <vector>

#include "stress/problem.h"

namespace mercer::stress {

// Signed coefficients of all examples in one two-class problem (or the only problem), and its offset.
struct machine {
    double first = 0, second = 0;  // labels on the side of +1 and of -1; equal: one label against all others
    std::vector<double> coef;      // one for each example; 0 for those that take no part
    double offset = 0;
    bool no_margin = false;  // ν-classification: the coefficients were not divided
};

struct verdict {
    double gap = 0;
    double allowed_gap = 0;  // for the tolerance asked for
    double objective = 0;    // ½αᵀKα - pᵀα
    double noise = 0;        // what rounding in double may do to F
    double duality = 0;      // primal - dual, and what a gap of tol allows for it
    double allowed_duality = 0;
    double reach = 0;           // ν-regression: ‖α - β‖₁ at most, which α - α* alone does not tell
    std::vector<double> alpha;  // of the examples that take part, as the dual has it
    std::string infeasible;     // empty: α is in its box and its sums
};

std::vector<machine> machines(const problem& p, const std::vector<double>& classes, multiclass scheme,
                              const std::vector<index>& support, const std::vector<std::vector<double>>& coef,
                              const std::vector<double>& offset);
verdict judge(const problem& p, const machine& m);

}  // namespace mercer::stress
