#include "mercer/solvers/newton/loss.h"

#include <gtest/gtest.h>

#include <vector>

namespace mercer {
namespace {

struct named {
    loss of;
    std::vector<double> targets;
};

std::vector<named> all_losses() {
    const std::vector<double> labels{-1, 1}, values{-2.5, 0, 0.3, 4}, counts{0, 1, 3.5};
    return {{loss::squared(), values},
            {loss::logistic(), labels},
            {loss::squared_hinge(), labels},
            {loss::huber(0.7), values},
            {loss::poisson(), counts},
            {loss::hinge(), labels},
            {loss::epsilon_insensitive(0.4), values},
            {loss::quantile(0.3), values},
            {loss::user([](double y, double f) { return std::cosh(f - y); },
                        [](double y, double f) { return std::sinh(f - y); },
                        [](double y, double f) { return std::cosh(f - y); }),
             values}};
}

// Away from corners, so that both points of the difference lie on one piece.
TEST(losses, derivatives_are_those_of_the_value) {
    constexpr double h = 1e-5;
    for (const auto& [l, targets] : all_losses())
        for (const double y : targets)
            for (double f = -5.013; f < 5; f += 0.237) {
                SCOPED_TRACE(std::string(name(l.kind)) + " y=" + std::to_string(y) + " f=" + std::to_string(f));
                EXPECT_NEAR(l.first(y, f), (l.value(y, f + h) - l.value(y, f - h)) / (2 * h),
                            1e-6 * (1 + std::abs(l.first(y, f))));
                EXPECT_NEAR(l.second(y, f), (l.first(y, f + h) - l.first(y, f - h)) / (2 * h),
                            1e-6 * (1 + l.second(y, f)));
                EXPECT_GE(l.value(y, f), l.kind == loss_kind::user ? 1.0 : 0.0);
            }
}

TEST(losses, do_not_overflow_where_they_need_not) {
    for (const double f : {1e4, -1e4, 1e300, -1e300})
        for (const double y : {1.0, -1.0}) {
            const loss l = loss::logistic();
            EXPECT_EQ(l.value(y, f), y * f > 0 ? 0.0 : std::abs(f));
            EXPECT_EQ(l.first(y, f), y * f > 0 ? 0.0 : -y);
            EXPECT_EQ(l.second(y, f), 0.0);
        }
}

// ℓ(y, f) = max over u of uf - ℓ*(u), the maximum over a fine grid of [low, high].
TEST(losses, conjugates_of_those_with_corners) {
    for (const auto& [l, targets] : all_losses()) {
        if (l.is_smooth()) continue;
        for (const double y : targets)
            for (double f = -3; f < 3; f += 0.17) {
                double best = -1e300;
                for (int s = 0; s <= 1000; ++s) {
                    const double u = l.low(y) + (l.high(y) - l.low(y)) * s / 1000.0;
                    best = std::max(best, u * f - l.conjugate(y, u));
                }
                EXPECT_NEAR(l.value(y, f), best, 0.002 * (1 + std::abs(f))) << name(l.kind);
                EXPECT_GE(l.value(y, f) + 1e-12, best);
            }
    }
}

// A smoothed loss is below the original one by at most μ/2 max (u - c)², and its derivative lies in [low, high].
TEST(losses, rounding) {
    constexpr double h = 1e-6;
    for (const auto& [l, targets] : all_losses()) {
        if (l.is_smooth()) continue;
        for (const double y : targets)
            for (const double mu : {1.0, 0.05})
                for (const double share : {0.0, 0.4, 1.0})
                    for (double f = -3.0031; f < 3; f += 0.093) {
                        const double c = l.low(y) + share * (l.high(y) - l.low(y));
                        const smoothed_loss r{l, mu};
                        const auto at = r(y, f, c);
                        EXPECT_LE(at.value, l.value(y, f) + 1e-12);
                        const double width = l.high(y) - l.low(y);
                        EXPECT_GE(at.value, l.value(y, f) - 0.5 * mu * width * width - 1e-12);
                        EXPECT_GE(at.first, l.low(y));
                        EXPECT_LE(at.first, l.high(y));
                        EXPECT_NEAR(at.first, (r(y, f + h, c).value - r(y, f - h, c).value) / (2 * h), 2e-5)
                            << name(l.kind) << " f=" << f << " c=" << c;
                    }
    }
}

}  // namespace
}  // namespace mercer
