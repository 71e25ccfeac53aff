#include "mercer/plot/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercer/gram/gram_views.h"
#include "mercer/plot/heat_map.h"
#include "mercer/plot/png.h"

namespace mercer {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(svg, escapes_text_and_attributes) {
    svg page(10, 20, "a < b & \"c\"");
    page.text(1, 2.5, "x > 0", {{"class", "a\"b"}});
    const std::string all = page.finish();
    EXPECT_THAT(all, HasSubstr("<title>a &lt; b &amp; &quot;c&quot;</title>"));
    EXPECT_THAT(all, HasSubstr("<text x=\"1\" y=\"2.5\" class=\"a&quot;b\">x &gt; 0</text>"));
}

TEST(svg, writes_short_numbers) {
    EXPECT_EQ(svg_attribute("x", 1.0 / 3).value, "0.333");
    EXPECT_EQ(svg_attribute("x", 100).value, "100");
    EXPECT_EQ(svg_attribute("x", -0.0001).value, "0");
}

// The test vectors of RFC 4648, section 10.
TEST(svg, base64) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foob"), "Zm9vYg==");
    EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(svg, ticks_are_round_and_inside) {
    EXPECT_THAT(round_ticks(0, 1, 5), ElementsAre(DoubleEq(0), DoubleEq(0.2), DoubleEq(0.4),
                                                  DoubleEq(0.6000000000000001), DoubleEq(0.8), DoubleEq(1)));
    EXPECT_THAT(round_ticks(-7, 12, 4), ElementsAre(-5, 0, 5, 10));
    EXPECT_THAT(round_ticks(3, 3, 4), ElementsAre(3));
    EXPECT_EQ(tick_text(0.6000000000000001), "0.6");
    EXPECT_EQ(tick_text(-5), "−5");
    EXPECT_EQ(power_of_ten_text(-12), "10⁻¹²");
}

TEST(pictures, order_by_class_keeps_the_order_within) {
    table data;
    data.x = dense<double>(matrix<double>(5, 1));
    data.y = {1, 0, 1, 0, 1};
    data.class_names = {"no", "yes"};
    const object_order order = order_by_target(data);
    EXPECT_THAT(order.objects, ElementsAre(1, 3, 0, 2, 4));
    ASSERT_EQ(order.bands.size(), 2u);
    EXPECT_EQ(order.bands[0].name, "no");
    EXPECT_EQ(order.bands[1].count, 3);
    EXPECT_TRUE(order_by_target(data, 1).bands.empty());  // too many values for classes
}

TEST(pictures, cells_are_means_in_the_given_order) {
    matrix<double> k(3, 3);
    for (index i = 0; i < 9; ++i) k.data()[i] = static_cast<double>(i);  // 0 1 2; 3 4 5; 6 7 8
    const heat_cells cells = average_cells(precomputed<double>(k.view()), {2, 0, 1}, 2);
    EXPECT_THAT(cells.start, ElementsAre(0, 1, 3));  // {2}, {0, 1}
    EXPECT_EQ(cells.mean(0, 0), 8);
    EXPECT_EQ(cells.mean(0, 1), 6.5);
    EXPECT_EQ(cells.mean(1, 0), 3.5);
    EXPECT_EQ(cells.mean(1, 1), 2);
    EXPECT_TRUE(cells.shrunk());
}

heat_cells cells_of(double diagonal, double low, double high) {
    constexpr index n = 50;
    heat_cells cells{matrix<double>(n, n), {}, n};
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            cells.mean(i, j) = i == j ? diagonal : low + (high - low) * static_cast<double>((i * j) % 7) / 6;
    return cells;
}

TEST(pictures, colours_are_spent_on_what_is_there) {
    const colour_range plain = choose_range(cells_of(1, 0.1, 0.9));
    EXPECT_FALSE(plain.diverging || plain.clipped_above);
    EXPECT_EQ(plain.low, 0);
    EXPECT_EQ(plain.high, 1);
    EXPECT_EQ(plain.level(0), 0);
    EXPECT_EQ(plain.level(1), 255);
    EXPECT_EQ(plain.level(7), 255);

    const colour_range steep = choose_range(cells_of(1000, 1, 9));
    EXPECT_TRUE(steep.clipped_above);
    EXPECT_EQ(steep.high, 9);

    const colour_range both = choose_range(cells_of(1, -0.5, 1));
    EXPECT_TRUE(both.diverging);
    EXPECT_EQ(both.low, -1);
    EXPECT_EQ(both.level(0), 128);

    const colour_range narrow = choose_range(cells_of(1, 0.99, 1));  // cosines of near-parallel vectors
    EXPECT_EQ(narrow.low, 0.99);
    const colour_range flat = choose_range(cells_of(0, 0, 0));
    EXPECT_LT(flat.low, flat.high);
}

}  // namespace
}  // namespace mercer
