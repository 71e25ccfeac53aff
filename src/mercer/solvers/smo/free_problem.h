// The small problem that newton.cpp poses and active_set, barrier solve: min ½xᵀKx - rᵀx, l <= x <= u, Σx = sum.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/base/matrix.h"
#include "mercer/solvers/smo/vector_ops.h"

namespace mercer::smo {

enum class at : std::uint8_t { free, lower, upper };

struct free_problem {
    matrix<double> K;
    std::vector<double> r, lower, upper, x;
    std::vector<at> where;  // who is at a bound: a first guess, then what was found
    double sum = 0;
};

// Leaves the solution in x and where; false where it did not reach it.
bool active_set(free_problem& q);
// The same up to a tolerance of F = r - Kx, or as near as rounding allows.
void barrier(free_problem& q, double tol, const vector_ops& ops);

}  // namespace mercer::smo
