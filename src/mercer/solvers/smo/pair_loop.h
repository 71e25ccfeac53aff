// The inner loop of the SMO solver: a small problem is solved pair by pair inside the caches. One implementation per
// instruction set, chosen at run time.
#pragma once

#include <cstdint>

namespace mercer::smo {

// A small problem solved pair by pair inside the caches:
//   min ½αᵀKα - pᵀα, l <= α <= u, Σα fixed within each group; F = p - Kα is kept up to date.
// Variables of group g stand at positions begin[g] … end[g]; both are whole vectors, the padding has up = -∞ and low =
// +∞.
template <class R>
struct inner_problem {
    std::int64_t size = 0;     // padded
    std::int64_t stride = 0;   // of K
    const float* K = nullptr;  // size × size, rows of padding are never read
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
    double enough = 0;  // stop when max_up F - min_low F <= enough in every group
    std::int64_t most_steps = 0;
    double tau = 1e-12;  // curvature used where the true one is not positive
    // + tube·Σ|α|: ε-regression with one variable for each example. Where α stands, up and low then hold what that term
    // adds to F when α grows or falls (∓tube instead of 0), and a step ends at α = 0 at the latest.
    double tube = 0;
    // results
    std::int64_t steps = 0;
    std::int64_t flat_steps = 0;     // curvature zero up to rounding: twins
    std::int64_t concave_steps = 0;  // negative curvature: the kernel is not positive semidefinite
    double gap = 0;
};

struct pair_loop {
    std::int64_t padding;  // groups start at multiples of this
    void (*solve_float)(inner_problem<float>& problem);
    void (*solve_double)(inner_problem<double>& problem);
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
