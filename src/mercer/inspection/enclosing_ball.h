// The smallest ball in feature space that holds φ(x₁) … φ(xₙ): min R² s.t. ‖φ(xᵢ) - c‖² <= R². Its dual is
//
//     max  Σ αᵢK(i, i) - αᵀKα    s.t.   Σα = 1, α >= 0,        c = Σ αᵢφ(xᵢ)
//
// (Tax and Duin 1999). Every feasible α gives two bounds without further trust: the dual's value from below, and from
// above the ball around its own centre that reaches the farthest point, max ‖φ(xᵢ) - c‖² = max K(i, i) - 2(Kα)ᵢ + αᵀKα.
#pragma once

#include <cmath>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

struct enclosing_ball {
    double squared_radius = 0;        // of a ball that holds all points: from above
    double least_squared_radius = 0;  // no ball has less: from below
    std::vector<double> centre;       // α
    index support = 0;                // points with α > 0: on the sphere
    index farthest = 0;               // the point that decides squared_radius
    fit_status status = fit_status::converged;

    double radius() const { return std::sqrt(squared_radius); }
    double gap() const { return squared_radius - least_squared_radius; }
};

// Ends when the gap is at most `tol` of R². K is symmetric and positive semidefinite; for another matrix the status
// says "stationary" and the bounds are those of its formulas.
enclosing_ball smallest_enclosing_ball(const gram<double>& K, double tol = 1e-6);

}  // namespace mercer
