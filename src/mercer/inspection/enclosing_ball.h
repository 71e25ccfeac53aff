// The smallest ball in feature space that contains φ(x₁) … φ(xₙ): min R² subject to ‖φ(xᵢ) - c‖² <= R². Its dual is
//
//     max  Σ αᵢK(i, i) - αᵀKα    s.t.   Σα = 1, α >= 0,        c = Σ αᵢφ(xᵢ)
//
// (Tax and Duin 1999). Every feasible α gives two bounds on the optimal R²: the dual objective from below; from above
// the ball around c = Σ αᵢφ(xᵢ) through the farthest point, max ‖φ(xᵢ) - c‖² = max K(i, i) - 2(Kα)ᵢ + αᵀKα.
#pragma once

#include <cmath>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

// The result of smallest_enclosing_ball(): the ball, and an upper and a lower bound of the optimal R².
struct enclosing_ball {
    double squared_radius = 0;      // upper bound of R²: a ball of this size contains all points
    double min_squared_radius = 0;  // lower bound of R²: no smaller ball contains all points
    std::vector<double> centre;     // α of the centre c = Σ αᵢφ(xᵢ)
    index support = 0;              // number of points with α > 0; they lie on the sphere
    index farthest = 0;             // the point with the largest distance to the centre
    fit_status status = fit_status::converged;

    double radius() const { return std::sqrt(squared_radius); }
    double gap() const { return squared_radius - min_squared_radius; }
};

// Returns the smallest ball that encloses the images of the n objects whose kernel matrix is K. The solver ends when
// the upper bound of R² exceeds the lower bound by at most tol·R². Throws errc::invalid_argument if K is not square or
// tol is not positive, and errc::data if K is empty or an entry of its diagonal is not finite. K must be symmetric and
// positive semidefinite, which is not checked: for another matrix the status can be fit_status::stationary, and the two
// values of the formulas above need not bound R².
enclosing_ball smallest_enclosing_ball(const gram<double>& K, double tol = 1e-6);

}  // namespace mercer
