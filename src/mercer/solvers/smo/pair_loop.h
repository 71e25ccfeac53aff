// The inner loop of the SMO solver, which solves the problem of a working set by steps of two variables each. One
// implementation per instruction set, chosen at run time.
#pragma once

#include <cstdint>

namespace mercer::smo {

// The problem of a working set, small enough for the caches:
//     min ½αᵀKα - pᵀα,   l <= α <= u,   Σα constant within each group.
// F = p - Kα, the negative gradient, is updated with every step. Group g has the positions begin[g] … end[g] - 1. Both
// ends are multiples of pair_loop::padding; padded positions have up = -∞ and low = +∞.
template <class R>
struct pair_problem {
    std::int64_t size = 0;     // including padding
    std::int64_t stride = 0;   // distance of the rows of K
    const float* K = nullptr;  // size × size; rows of padded positions are not read
    const float* diagonal = nullptr;
    R* F = nullptr;
    R* up = nullptr;   // 0 where α < u, else -∞ (see tube)
    R* low = nullptr;  // 0 where α > l, else +∞
    double* alpha = nullptr;
    const double* lower = nullptr;
    const double* upper = nullptr;
    std::int64_t begin[2] = {0, 0};
    std::int64_t end[2] = {0, 0};
    int groups = 1;
    double target_gap = 0;  // the loop ends when max_up F - min_low F <= target_gap in every group
    std::int64_t max_steps = 0;
    double tau = 1e-12;  // replaces a smaller curvature, also one that is zero or negative
    // The objective has the term + tube·Σ|α|: ε-regression with one variable per example. Where α may grow (fall), up
    // (low) then holds the change of F by that term, ∓tube instead of 0, and a step ends at α = 0 at the latest.
    double tube = 0;
    // results
    std::int64_t steps = 0;
    std::int64_t flat_steps = 0;     // steps of zero curvature up to rounding: two equal examples
    std::int64_t concave_steps = 0;  // steps of negative curvature: the kernel is not positive semidefinite
    double gap = 0;
};

struct pair_loop {
    std::int64_t padding;  // groups begin and end at multiples of this number
    void (*solve_float)(pair_problem<float>& problem);
    void (*solve_double)(pair_problem<double>& problem);
};

const pair_loop& best_pair_loop();

namespace avx512 {
const pair_loop& pairs();
}
namespace avx2 {
const pair_loop& pairs();
}
namespace baseline {
const pair_loop& pairs();
}

}  // namespace mercer::smo
