#include "mercer/inspection/enclosing_ball.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/gram/gram_views.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer {

namespace {

std::vector<double> finite_diagonal(const gram<double>& K) {
    std::vector<double> self(static_cast<std::size_t>(K.rows()));
    K.diagonal(self);
    for (std::size_t i = 0; i < self.size(); ++i)
        if (!std::isfinite(self[i]))
            fail(errc::data,
                 fmt::format("enclosing ball: k(x, x) of example {} is {}, not a finite number", i, self[i]));
    return self;
}

// Solves the dual as min ½αᵀKα - pᵀα with p = ½K(i, i). With F = p - Kα, ‖φ(xᵢ) - c‖² = 2Fᵢ + αᵀKα and the dual
// objective is 2αᵀF + αᵀKα, so the gap of the radius is at most twice the gap of the solver.
smo_result solve_ball(const gram<double>& K, const std::vector<double>& self, double tol) {
    const std::size_t count = self.size();
    std::vector<double> p(count), lower(count, 0.0), upper(count, 1.0), start(count, 0.0);
    for (std::size_t i = 0; i < count; ++i) p[i] = self[i] / 2;
    start[static_cast<std::size_t>(std::ranges::max_element(self) - self.begin())] = 1;
    smo_options options;
    options.tol = tol;
    return solve_smo(float_gram(K), K, {p, lower, upper, {}, start}, options);
}

// Computes both bounds of R² in double over all points, for the centre α normalised to sum 1.
void measure(enclosing_ball& ball, const gram<double>& K, const std::vector<double>& self) {
    const index n = K.rows();
    std::vector<index> support;
    double sum = 0;
    for (index i = 0; i < n; ++i)
        if (ball.centre[static_cast<std::size_t>(i)] > 0) {
            support.push_back(i);
            sum += ball.centre[static_cast<std::size_t>(i)];
        }
    std::vector<index> everyone(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) everyone[static_cast<std::size_t>(i)] = i;
    ball.support = static_cast<index>(support.size());
    matrix<double> alpha(ball.support, 1), product(n, 1);
    for (index s = 0; s < ball.support; ++s) {
        double& a = ball.centre[static_cast<std::size_t>(support[static_cast<std::size_t>(s)])];
        alpha(s, 0) = a /= sum;
    }
    subset<double>(K, everyone, support).multiply(alpha.view(), product.view());
    double square = 0, linear = 0, most = 0;
    for (index s = 0; s < ball.support; ++s) {
        const index i = support[static_cast<std::size_t>(s)];
        square += alpha(s, 0) * product(i, 0);
        linear += alpha(s, 0) * self[static_cast<std::size_t>(i)];
    }
    for (index i = 0; i < n; ++i)
        if (const double reach = self[static_cast<std::size_t>(i)] - 2 * product(i, 0); i == 0 || reach > most)
            most = reach, ball.farthest = i;
    ball.squared_radius = std::max(0.0, most + square);
    ball.min_squared_radius = std::clamp(linear - square, 0.0, ball.squared_radius);
}

}  // namespace

enclosing_ball smallest_enclosing_ball(const gram<double>& K, double tol) {
    require_square(K, "an enclosing ball");
    if (!(tol > 0)) fail(errc::invalid_argument, fmt::format("enclosing ball: must satisfy tol > 0, got {}", tol));
    if (K.rows() == 0) fail(errc::data, "enclosing ball: there are no examples");
    enclosing_ball ball;
    // The ball does not depend on the origin. Relative to the mean, inner products are as small as the distances, so
    // float precision is sufficient for the solver.
    const centred<double> middle(K);
    const std::vector<double> self = finite_diagonal(middle);
    ball.centre.assign(self.size(), 0.0);
    const double far = *std::ranges::max_element(self);  // the ball around the mean: R² <= far <= 4R²
    if (far <= 0) {                                      // all points have the same image
        ball.centre[0] = 1;
        ball.support = 1;
        return ball;
    }
    const smo_result solved = solve_ball(middle, self, tol * far / 8);
    ball.status = solved.status;
    ball.centre = solved.alpha;
    measure(ball, middle, self);
    return ball;
}

}  // namespace mercer
