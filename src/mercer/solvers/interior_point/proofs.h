// What surrounds the interior-point iteration: variables that cannot move, and proofs that there is no solution.
#pragma once

#include "mercer/solvers/interior_point/quadratic_program.h"

namespace mercer {

// The iteration itself: every lower bound below its upper bound.
qp_result iterate_qp(const quadratic_program& problem, const qp_options& options);

// Takes variables with equal bounds out, iterates, and looks for a proof where that came to nothing and `proofs` is
// set.
qp_result solve_checked_qp(const quadratic_program& problem, const qp_options& options, bool proofs);

// Is u, divided by -pᵀu, a ray: Qu = 0, Gu <= 0, Au = 0 and the bounds left open, each up to `tol` times the terms it
// sums?
bool is_ray(const quadratic_program& q, const std::vector<double>& u, double tol);

}  // namespace mercer
