#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/methods/nystroem/row_losses.h"

namespace mercer {
namespace {

// Two classes, f growing along the rows: curvatures from ¼ down to 1e-9.
struct far_rows {
    static constexpr index n = 20000;
    explicit far_rows(index first = 0, index count = n) : label(static_cast<std::size_t>(count), 1) {
        losses = std::make_unique<column_losses>(loss::logistic(), label, 2, std::span<const double>(), first);
        matrix<double> f(count, 1);
        for (index i = 0; i < count; ++i) f(i, 0) = 20.0 * static_cast<double>(first + i) / n;
        double sum = 0;
        losses->derive(first, f.view(), &sum);
    }
    std::vector<index> label;
    std::unique_ptr<column_losses> losses;
};

// The expected weight of every row is 1, large rows are always included, and the weight of a row is at most θ.
TEST(curvature_sample, stand_for_all_on_average) {
    const far_rows rows;
    constexpr double theta = 0.01;
    constexpr int draws = 100;
    double mean = 0, whole = 0, share = 0;
    for (index i = 0; i < far_rows::n; ++i) whole += rows.losses->curvature(i, 0);
    for (int seed = 0; seed < draws; ++seed) {
        curvature_sample taken;
        taken.draw(*rows.losses, theta, static_cast<std::uint64_t>(seed), far_rows::n, nullptr);
        ASSERT_FALSE(taken.has_all_rows());
        share += taken.share() / draws;
        double counted = 0;
        for (index i = 0; i < far_rows::n; ++i) {
            const double t = rows.losses->curvature(i, 0), times = taken.weight(i);
            if (times > 0) {
                EXPECT_NEAR(times * t, std::max(t, theta), 1e-6 * theta);
            }
            if (t >= theta) {
                EXPECT_EQ(times, 1);
            }
            mean += times * t / draws;
            counted += times > 0 ? 1.0 / far_rows::n : 0;
        }
        EXPECT_NEAR(counted, taken.share(), 1e-12);
    }
    EXPECT_NEAR(mean, whole, 0.002 * whole);
    EXPECT_LT(share, 0.4);
}

// The random choice for a row does not depend on the rank that holds it.
TEST(curvature_sample, are_the_same_in_parts) {
    const far_rows whole, part(5000, 6000);
    curvature_sample all, some;
    all.draw(*whole.losses, 0.01, 3, far_rows::n, nullptr);
    some.draw(*part.losses, 0.01, 3, far_rows::n, nullptr);
    ASSERT_FALSE(all.has_all_rows());
    ASSERT_FALSE(some.has_all_rows());
    for (index i = 5000; i < 11000; ++i) EXPECT_EQ(all.weight(i), some.weight(i));
}

TEST(curvature_sample, are_all_where_fewer_would_not_do) {
    const far_rows rows;
    curvature_sample taken;
    for (const double theta : {0.0, 1e-12}) {
        taken.draw(*rows.losses, theta, 0, far_rows::n, nullptr);
        EXPECT_TRUE(taken.has_all_rows());
        EXPECT_EQ(taken.share(), 1);
        EXPECT_EQ(taken.weight(17), 1);
    }
}

}  // namespace
}  // namespace mercer
