#include "mercer/inspection/enclosing_ball.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernel_analysis/random_matrices.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer::testing {
namespace {

// The smallest circle by trying all pairs and triples that could lie on it.
double smallest_circle(const real_matrix& x) {
    using point = std::array<double, 2>;
    const auto at = [&](index i) { return point{x(i, 0), x(i, 1)}; };
    const auto minus = [](point a, point b) { return point{a[0] - b[0], a[1] - b[1]}; };
    const auto square_of = [](point a) { return a[0] * a[0] + a[1] * a[1]; };
    const auto holds_all = [&](point c, double square) {
        for (index i = 0; i < x.rows(); ++i)
            if (square_of(minus(at(i), c)) > square * (1 + 1e-12) + 1e-15) return false;
        return true;
    };
    double best = 1e300;
    for (index i = 0; i < x.rows(); ++i)
        for (index j = i; j < x.rows(); ++j) {
            const point a = at(i), b = at(j), middle{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2};
            if (const double square = square_of(minus(a, middle)); square < best && holds_all(middle, square))
                best = square;
            for (index k = j + 1; k < x.rows(); ++k) {
                // Equidistant from three points: 2(b-a)·c = |b|²-|a|², 2(d-a)·c = |d|²-|a|².
                const point d = at(k), u = minus(b, a), v = minus(d, a);
                const double area = u[0] * v[1] - u[1] * v[0];
                if (std::abs(area) < 1e-12) continue;
                const double p = (square_of(b) - square_of(a)) / 2, q = (square_of(d) - square_of(a)) / 2;
                const point c{(p * v[1] - q * u[1]) / area, (q * u[0] - p * v[0]) / area};
                if (const double square = square_of(minus(a, c)); square < best && holds_all(c, square)) best = square;
            }
        }
    return best;
}

enclosing_ball ball_of(const real_matrix& x, double tol = 1e-8) {
    return smallest_enclosing_ball(cpu_kernel_gram<double>(linear{}, dense<double>(x)), tol);
}

TEST(enclosing_ball, circles_by_brute_force) {
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 25; ++trial) {
        const real_matrix x = random_matrix(2 + trial % 14, 2, random);
        const double expected = smallest_circle(x);
        const enclosing_ball ball = ball_of(x);
        EXPECT_EQ(ball.status, fit_status::converged);
        EXPECT_LE(ball.min_squared_radius, expected * (1 + 1e-10));
        EXPECT_GE(ball.squared_radius, expected * (1 - 1e-10));
        EXPECT_LE(ball.gap(), 1e-8 * expected * 1.01);
        double sum = 0;
        for (const double a : ball.centre) {
            EXPECT_GE(a, 0);
            sum += a;
        }
        EXPECT_NEAR(sum, 1, 1e-12);
    }
}

TEST(enclosing_ball, known_ones) {
    const real_matrix square = real_matrix::of_rows({{1, 1}, {-1, 1}, {1, -1}, {-1, -1}, {0.3, 0.2}});
    EXPECT_NEAR(ball_of(square).squared_radius, 2, 1e-7);
    // The radius does not depend on the position of the ball.
    const real_matrix away = square + real_matrix::constant(5, 2, 1e4);
    EXPECT_NEAR(ball_of(away).squared_radius, 2, 1e-5);
    // Far apart, the images of a Gaussian are orthonormal: a simplex, R² = 1 - 1/n.
    std::mt19937_64 random(1);
    const real_matrix scattered = 1e3 * random_matrix(40, 3, random);
    EXPECT_NEAR(smallest_enclosing_ball(cpu_kernel_gram<double>(gaussian{1}, dense<double>(scattered))).squared_radius,
                1 - 1.0 / 40, 1e-6);
}

TEST(enclosing_ball, edges) {
    EXPECT_EQ(ball_of(real_matrix::of_rows({{3, 4}})).squared_radius, 0);
    const real_matrix same = real_matrix::of_rows({{3, 4}, {3, 4}, {3, 4}, {3, 4}, {3, 4}, {3, 4}});
    EXPECT_NEAR(ball_of(same).squared_radius, 0, 1e-12);
    const real_matrix twins = real_matrix::of_rows({{0}, {0}, {2}, {2}});
    EXPECT_NEAR(ball_of(twins).squared_radius, 1, 1e-7);
    expect_error(errc::data, "enclosing ball: there are no examples", [&] { ball_of(real_matrix(0, 2)); });
    expect_error(errc::invalid_argument, "tol > 0", [&] { ball_of(twins, 0); });
    expect_error(errc::invalid_argument, "2 rows and 3 columns",
                 [&] { smallest_enclosing_ball(as_gram(real_matrix(2, 3))); });
}

}  // namespace
}  // namespace mercer::testing
