// Minimises a smooth function f by the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal 1980).
// The search direction is -H∇f, where H estimates the inverse Hessian from the last steps. The step length is halved
// until f falls by 1e-4 of what the slope predicts (Armijo). f need not be convex: the result is a point with a
// vanishing gradient whose f is at most that of the start.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

struct lbfgs_options {
    double tol = 1e-5;  // bound on the largest |∂f|
    index max_iter = 200;
    index memory = 10;
    double max_change = 2;                                 // bound on the change of any coordinate in one step
    std::function<bool(index step, double f)> progress{};  // returns false to stop with the current x
};

struct lbfgs_result {
    std::vector<double> x;
    double f = 0;
    double gradient = 0;                         // the largest |∂f|
    fit_status status = fit_status::stationary;  // stationary, step_limit, stalled, cancelled
    index steps = 0, evaluations = 0;
};

// Writes ∇f(x) and returns f(x). Returns infinity or NaN if x is outside of the domain; the gradient is then not read.
using smooth_function = std::function<double(std::span<const double> x, std::span<double> gradient)>;

lbfgs_result minimise(const smooth_function& f, std::vector<double> start, const lbfgs_options& options = {});

}  // namespace mercer
