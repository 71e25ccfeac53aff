// The small problem that newton_step.cpp poses and guess_bounds, barrier solve: min ½xᵀKx - rᵀx, l <= x <= u, Σx fixed
// within each group (one or two).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/dense/vector_ops.h"

namespace mercer::smo {

enum class at : std::uint8_t { free, lower, upper };
using two = std::array<double, 2>;  // one number for each group

struct free_problem {
    matrix<double> K;  // empty where K is known as ΦΦᵀ
    std::vector<double> r, lower, upper, x;
    std::vector<std::uint8_t> group;
    std::vector<at> where;  // who is at a bound: a first guess, then what was found
    two sum{};
};

// The multipliers λ of the sums. With M factored, x = M⁻¹b - Σ_g λ_g M⁻¹e_g, where e_g is 1 on group g, and λ is such
// that Σx over each group is what it is to be. A group without variables has λ = 0.
class sum_multipliers {
public:
    sum_multipliers(const matrix<double>& factor, std::vector<std::uint8_t> group);
    bool has(int g) const { return count_[static_cast<std::size_t>(g)] > 0; }
    // From x = M⁻¹b to the x above; gives λ.
    two apply(std::vector<double>& x, const two& sum) const;

private:
    std::vector<std::uint8_t> group_;
    std::array<std::vector<double>, 2> solved_;  // M⁻¹e_g
    std::array<two, 2> A_{};                     // e_hᵀM⁻¹e_g
    std::array<index, 2> count_{};
};

// Leaves the solution in x and where; false where it did not reach it.
bool guess_bounds(free_problem& q);
// The same up to a tolerance of F = r - Kx, or as near as rounding allows.
class quadratic;
void barrier(free_problem& q, quadratic& K, double tol);

}  // namespace mercer::smo
