#include "mercer/model_selection/search_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(search_space, holes_know_what_they_belong_to) {
    const open_text text(
        "rbf(gamma=?) + ? * normalize(poly(degree = ?{2, 3}, coef0=1)) + 2*laplacian(gamma=?[0.5, 2])");
    ASSERT_EQ(text.free_parameters().size(), 4u);
    EXPECT_EQ(text.free_parameters()[0].owner, "rbf");
    EXPECT_EQ(text.free_parameters()[0].name, "gamma");
    EXPECT_FALSE(text.free_parameters()[0].has_range);
    EXPECT_EQ(text.free_parameters()[1].owner, "");
    EXPECT_EQ(text.free_parameters()[1].name, "");
    EXPECT_EQ(text.free_parameters()[2].owner, "poly");
    EXPECT_THAT(text.free_parameters()[2].range.values, ElementsAre(2, 3));
    EXPECT_EQ(text.free_parameters()[3].range.low, 0.5);
    EXPECT_FALSE(text.free_parameters()[3].range.logarithmic);
    EXPECT_EQ(text.filled(std::vector<double>{0.1, 7, 3, 1}),
              "rbf(gamma=0.1) + 7 * normalize(poly(degree = 3, coef0=1)) + 2*laplacian(gamma=1)");
    EXPECT_EQ(open_text("linear()").filled({}), "linear()");
}

TEST(search_space, ranges_that_are_none) {
    for (const auto& [text, what] : {std::pair{"?[1]", "low < high"},
                                     {"?[2, 1]", "low < high"},
                                     {"?[1, 2", "']' is missing"},
                                     {"?{1, x}", "got 'x'"},
                                     {"?{}", "got ''"},
                                     {"?{1, inf}", "finite"}})
        EXPECT_THAT(failure([&] { open_text open(text); }), HasSubstr(what)) << text;
}

TEST(search_space, points_of_an_axis) {
    const axis log{"C", 0.01, 100, true, false, {}};
    EXPECT_THAT(log.points(5), ElementsAre(0.01, 0.1, 1, 10, 100));
    const axis whole{"k", 1, 4, false, true, {}};
    EXPECT_THAT(whole.points(10), ElementsAre(1, 2, 3, 4));
    const axis list{"d", 0, 0, false, false, {1, 3, 9}};
    EXPECT_THAT(list.points(10), ElementsAre(1, 3, 9));
    EXPECT_EQ(list.points(2).size(), 2u);
    for (const double v : log.points(9)) EXPECT_NEAR(log.at(log.share(v)), v, 1e-12 * v);
    EXPECT_EQ(grid_points({log, list}, 5).size(), 15u);
    const auto drawn = random_points({log, whole}, 50, make_random_below(1));
    EXPECT_EQ(std::set<space_point>(drawn.begin(), drawn.end()).size(), drawn.size());
    for (const auto& p : drawn) {
        EXPECT_GE(p[0], 0.01);
        EXPECT_LE(p[0], 100);
        EXPECT_EQ(p[1], std::round(p[1]));
    }
    EXPECT_LE(random_points({whole}, 50, make_random_below(1)).size(), 4u);
}

// A function with one maximum: the Gaussian process finds it with fewer evaluations than random search.
TEST(search_space, promising_points_lie_near_the_top) {
    const std::vector<axis> axes{{"a", 0, 1, false, false, {}}, {"b", 0, 1, false, false, {}}};
    const auto height = [](const space_point& p) { return -std::pow(p[0] - 0.3, 2) - std::pow(p[1] - 0.7, 2); };
    const random_below random = make_random_below(4);
    std::vector<space_point> tried = random_points(axes, 6, random);
    std::vector<double> score;
    for (const auto& p : tried) score.push_back(height(p));
    for (int step = 0; step < 15; ++step) {
        const auto candidates = random_points(axes, 200, random);
        tried.push_back(candidates[max_expected_improvement(axes, tried, score, candidates)]);
        score.push_back(height(tried.back()));
    }
    EXPECT_GT(*std::ranges::max_element(score), -0.002);
}

}  // namespace
}  // namespace mercer
