// min f(x) of a smooth function, by the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal 1980):
// the direction -H∇f, H an estimate of the inverse Hessian from the last few steps, and a step along it that is halved
// till f has fallen by a share of what its slope promises (Armijo). f need not be convex: what is found is a point
// where the gradient vanishes, with f no larger than at the start.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

struct lbfgs_options {
    double tol = 1e-5;  // of the largest |∂f|
    index max_iter = 200;
    index memory = 10;
    double longest = 2;                                    // no coordinate moves farther in one step
    std::function<bool(index step, double f)> progress{};  // false: stop and keep what there is
};

struct lbfgs_result {
    std::vector<double> x;
    double f = 0;
    double gradient = 0;                         // the largest |∂f|
    fit_status status = fit_status::stationary;  // stationary, step_limit, stalled, cancelled
    index steps = 0, evaluations = 0;
};

// Writes ∇f(x) and returns f(x); infinite or NaN where x is out of bounds, whose gradient is not looked at.
using smooth_function = std::function<double(std::span<const double> x, std::span<double> gradient)>;

lbfgs_result minimise(const smooth_function& f, std::vector<double> start, const lbfgs_options& options = {});

}  // namespace mercer
