#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "mercer/methods/nystroem/nystroem_newton.h"

namespace mercer {
namespace {

// One centre and an offset, squared loss: the Hessian has two rows, and P - P* = ½gᵀH⁻¹g. If all rows have the same φ,
// γ can compensate b, and only λ gives curvature in this direction.
TEST(gradient_gap, is_not_below_what_is_left_of_a_quadratic) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(-1, 1);
    constexpr index n = 50;
    const matrix<double> y(n, 1);
    const column_losses losses(loss::squared(), y.view(), {});
    double tightest = 0;
    for (int draw = 0; draw < 3000; ++draw) {
        const double lambda = std::pow(10.0, 4 * uniform(random)), spread = std::pow(10.0, 3 * uniform(random) - 3),
                     middle = uniform(random);
        double a = lambda, b = 0;
        for (index i = 0; i < n; ++i) {
            const double phi = std::clamp(middle + spread * normal(random), -1.0, 1.0);
            a += phi * phi, b += phi;
        }
        newton_vectors::point g(1, 2);
        g(0, 0) = normal(random) * std::pow(10.0, 2 * uniform(random)), g(0, 1) = normal(random);
        const double curvature = n, det = a * curvature - b * b,
                     left = 0.5 * (g(0, 0) * g(0, 0) * curvature - 2 * g(0, 0) * g(0, 1) * b + g(0, 1) * g(0, 1) * a) /
                            det;
        const newton_vectors::numbers bends{curvature};
        const double gap = gradient_gap(g, {1, 1, lambda, 1.0, bends}, losses);
        EXPECT_GE(gap, left * (1 - 1e-9)) << "lambda " << lambda << ", spread " << spread;
        tightest = std::max(tightest, left / gap);
    }
    EXPECT_GT(tightest, 0.2);
}

// Two classes without a useful centre: P(b) of an offset alone, with its minimum in closed form.
TEST(gradient_gap, is_not_below_what_an_offset_of_logistic_losses_can_gain) {
    const newton_vectors::point g0(1, 2);
    for (const double share : {0.5, 0.6, 0.9, 0.99})
        for (double b = -3; b <= 5; b += 0.25) {
            constexpr double n = 1000;
            const double p = 1 / (1 + std::exp(-b)),
                         best = -n * (share * std::log(share) + (1 - share) * std::log1p(-share)),
                         here = n * (share * std::log1p(std::exp(-b)) + (1 - share) * std::log1p(std::exp(b)));
            newton_vectors::point g = g0;
            g(0, 1) = n * (p - share);
            const newton_vectors::numbers bends{n * p * (1 - p)};
            const std::vector<index> label{0, 1};
            const column_losses losses(loss::logistic(), label, 2, {});
            EXPECT_GE(gradient_gap(g, {1, 1, 1e12, 1.0, bends}, losses), (here - best) * (1 - 1e-9) - 1e-9)
                << share << ' ' << b;
        }
}

}  // namespace
}  // namespace mercer
