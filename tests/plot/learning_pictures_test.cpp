#include <gtest/gtest.h>

#include <limits>

#include "mercer/plot/panels.h"
#include "plot/occurrences.h"

namespace mercer {
namespace {

using testing_support::occurrences;

matrix<double> line_of(index n) {
    matrix<double> out(n, 2);
    for (index i = 0; i < n; ++i) out(i, 0) = out(i, 1) = static_cast<double>(i);
    return out;
}

TEST(learning_pictures, a_scatter_has_a_dot_for_each_object_and_a_key_for_each_group) {
    scatter s;
    s.at = line_of(10);
    table data{dense<double>(line_of(10)), {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, {"<cat>", "dog"}, {}};
    colour_by_target(s, data);
    const std::string page = picture_page("t", "s", {scatter_panel(s)});
    EXPECT_EQ(occurrences(page, "<circle"), 10 + 2);
    EXPECT_NE(page.find("&lt;cat&gt; (5)"), std::string::npos);
    EXPECT_EQ(occurrences(page, "<cat>"), 0);
}

TEST(learning_pictures, many_targets_are_a_colour_scale) {
    scatter s;
    s.at = line_of(40);
    table data{dense<double>(line_of(40)), {}, {}, {}};
    for (int i = 0; i < 40; ++i) data.y.push_back(i);
    colour_by_target(s, data);
    EXPECT_TRUE(s.group.empty());
    EXPECT_EQ(s.value, data.y);
    EXPECT_NE(picture_page("t", "s", {scatter_panel(s)}).find("class=\"scale\""), std::string::npos);
}

TEST(learning_pictures, edges_draw_without_nan) {
    const double inf = std::numeric_limits<double>::infinity();
    for (const index n : {0, 1, 3, 3000}) {
        scatter s;
        s.at = matrix<double>(n, n % 2 + 1);  // all in one place, one or two columns
        const std::string page = picture_page("t", "s", {scatter_panel(s)});
        EXPECT_EQ(occurrences(page, "nan") + occurrences(page, "inf"), 0) << n;
    }
    for (const std::vector<double>& ratios : {std::vector<double>{}, {1}, {0.5, 0.2}, std::vector<double>(100, 0.01)}) {
        const std::string page = picture_page("t", "s", {scree_panel(ratios)});
        EXPECT_EQ(occurrences(page, "nan") + occurrences(page, "\"inf"), 0);
    }
    curves c;
    c.x = {1e-3, 1, 1e3};
    c.log_x = true;
    c.lines = {{"gcv", {3, inf, 1}}, {"loo", {inf, inf, inf}}};
    c.best = 2;
    const std::string page = picture_page("t", "s", {curves_panel(c)});
    EXPECT_EQ(occurrences(page, "nan") + occurrences(page, "inf"), 0);
    EXPECT_EQ(occurrences(page, "<circle"), 2 + 2);  // two finite values, two keys
}

}  // namespace
}  // namespace mercer
