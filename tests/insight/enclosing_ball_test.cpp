#include "mercer/insight/machines/enclosing_ball.h"

#include <gtest/gtest.h>

#include <cmath>

#include "insight/random_matrices.h"
#include "mercer/gram/computed.h"
#include "mercer/kernels/gaussian.h"
#include "mercer/kernels/linear.h"

namespace mercer {
namespace {

using namespace testing;

// The smallest circle by trying all pairs and triples that could lie on it.
double smallest_circle(const eigen_matrix& x) {
    const auto holds_all = [&](const Eigen::Vector2d& c, double square) {
        for (index i = 0; i < x.rows(); ++i)
            if ((x.row(i).transpose() - c).squaredNorm() > square * (1 + 1e-12) + 1e-15) return false;
        return true;
    };
    double best = 1e300;
    for (index i = 0; i < x.rows(); ++i)
        for (index j = i; j < x.rows(); ++j) {
            const Eigen::Vector2d a = x.row(i), b = x.row(j), middle = (a + b) / 2;
            if (const double square = (a - middle).squaredNorm(); square < best && holds_all(middle, square))
                best = square;
            for (index k = j + 1; k < x.rows(); ++k) {
                // Equidistant from three points: 2(b-a)·c = |b|²-|a|², 2(d-a)·c = |d|²-|a|².
                const Eigen::Vector2d d = x.row(k);
                Eigen::Matrix2d m;
                m << (b - a).transpose(), (d - a).transpose();
                if (std::abs(m.determinant()) < 1e-12) continue;
                const Eigen::Vector2d right((b.squaredNorm() - a.squaredNorm()) / 2,
                                            (d.squaredNorm() - a.squaredNorm()) / 2);
                const Eigen::Vector2d c = m.inverse() * right;
                if (const double square = (a - c).squaredNorm(); square < best && holds_all(c, square)) best = square;
            }
        }
    return best;
}

enclosing_ball ball_of(const eigen_matrix& x, double tol = 1e-8) {
    return smallest_enclosing_ball(computed<double>(linear{}, dense<double>(to_matrix(x))), tol);
}

TEST(enclosing_ball, circles_by_brute_force) {
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 25; ++trial) {
        const eigen_matrix x = random_matrix(2 + trial % 14, 2, random);
        const double expected = smallest_circle(x);
        const enclosing_ball ball = ball_of(x);
        EXPECT_EQ(ball.status, fit_status::converged);
        EXPECT_LE(ball.least_squared_radius, expected * (1 + 1e-10));
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
    eigen_matrix square(5, 2);
    square << 1, 1, -1, 1, 1, -1, -1, -1, 0.3, 0.2;
    EXPECT_NEAR(ball_of(square).squared_radius, 2, 1e-7);
    // A ball does not care where it is.
    eigen_matrix away = square.array() + 1e4;
    EXPECT_NEAR(ball_of(away).squared_radius, 2, 1e-5);
    // Far apart, the images of a Gaussian are orthonormal: a simplex, R² = 1 - 1/n.
    std::mt19937_64 random(1);
    const eigen_matrix scattered = 1e3 * random_matrix(40, 3, random);
    EXPECT_NEAR(
        smallest_enclosing_ball(computed<double>(gaussian{1}, dense<double>(to_matrix(scattered)))).squared_radius,
        1 - 1.0 / 40, 1e-6);
}

TEST(enclosing_ball, edges) {
    eigen_matrix one(1, 2);
    one << 3, 4;
    EXPECT_EQ(ball_of(one).squared_radius, 0);
    const eigen_matrix same = one.replicate(6, 1);
    EXPECT_NEAR(ball_of(same).squared_radius, 0, 1e-12);
    eigen_matrix twins(4, 1);
    twins << 0, 0, 2, 2;
    EXPECT_NEAR(ball_of(twins).squared_radius, 1, 1e-7);
    expect_error([&] { ball_of(eigen_matrix(0, 2)); }, errc::data, "no points");
    expect_error([&] { ball_of(twins, 0); }, errc::invalid_argument, "tol > 0");
    expect_error([&] { smallest_enclosing_ball(as_gram(eigen_matrix::Zero(2, 3))); }, errc::invalid_argument,
                 "2 rows and 3 columns");
}

}  // namespace
}  // namespace mercer
