#include "mercer/solvers/newton/lbfgs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.h"

namespace mercer {
namespace {

TEST(lbfgs, finds_the_valley_of_rosenbrock) {
    for (const index d : {2, 10}) {
        const auto f = [&](std::span<const double> x, std::span<double> g) {
            double sum = 0;
            std::ranges::fill(g, 0.0);
            for (std::size_t i = 0; i + 1 < x.size(); ++i) {
                const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
                sum += 100 * a * a + b * b;
                g[i] += -400 * a * x[i] - 2 * b;
                g[i + 1] += 200 * a;
            }
            return sum;
        };
        lbfgs_options o;
        o.max_iter = 1000;
        o.tol = 1e-8;
        const lbfgs_result found = minimise(f, std::vector<double>(static_cast<std::size_t>(d), -0.5), o);
        EXPECT_EQ(found.status, fit_status::stationary);
        for (const double x : found.x) EXPECT_NEAR(x, 1, 1e-6);
        EXPECT_LE(found.gradient, 1e-8);
    }
}

// Outside its domain f is infinite: step lengths are halved until the point is inside.
TEST(lbfgs, stays_where_the_function_is) {
    const auto f = [](std::span<const double> x, std::span<double> g) {
        if (x[0] <= 0) return std::numeric_limits<double>::infinity();
        g[0] = 1 - 1 / x[0];
        return x[0] - std::log(x[0]);
    };
    EXPECT_NEAR(minimise(f, {30.0}).x[0], 1, 1e-4);
    EXPECT_THROW(minimise(f, {-1.0}), error);
}

TEST(lbfgs, ends_as_it_was_told) {
    const auto bowl = [](std::span<const double> x, std::span<double> g) {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double w = std::pow(10.0, static_cast<double>(i));
            g[i] = 2 * w * x[i], sum += w * x[i] * x[i];
        }
        return sum;
    };
    lbfgs_options o;
    o.max_iter = 2;
    EXPECT_EQ(minimise(bowl, {1, 1, 1, 1, 1}, o).status, fit_status::step_limit);
    o.max_iter = 100;
    o.progress = [](index step, double) { return step < 3; };
    EXPECT_EQ(minimise(bowl, {1, 1, 1, 1, 1}, o).status, fit_status::cancelled);
    EXPECT_EQ(minimise(bowl, {0, 0}).steps, 0);
}

}  // namespace
}  // namespace mercer
