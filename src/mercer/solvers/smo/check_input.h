// What solve_smo asks of its input, checked before any work.
#pragma once

#include "mercer/solvers/smo/smo.h"

namespace mercer::smo {

// Fails unless sizes agree, numbers are finite where they must be, bounds leave room, groups are 0 or 1, and the start
// lies within its bounds. Matrices in memory are read once; of others only the size is looked at
// here, the diagonal by check_diagonal, and the other values as they are computed.
void check_input(const gram<float>& fast, const gram<double>& exact, const box_problem& problem,
                 const smo_options& options);

// Fails where a value on the diagonal of the float matrix is not finite. Such a value of a matrix that is not in memory
// may never come into F: no step along its variable is taken.
void check_diagonal(std::span<const float> diagonal);

// Fails, naming a kernel value that is not finite, because F = p - Kα of variable `row` is `value`; `support` are the
// variables with α ≠ 0.
[[noreturn]] void fail_for_gradient(const gram<float>& fast, const gram<double>& exact, index row, double value,
                                    std::span<const index> support);

}  // namespace mercer::smo
