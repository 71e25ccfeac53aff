#include "mercer/data/vectors.h"

#include <gtest/gtest.h>

#include <set>

#include "contracts/property.h"
#include "io/readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using columns = std::vector<std::int32_t>;

constexpr std::int32_t last = 2147483647;

sparse<float> hashed() { return {{0, 2, 2, 4}, {5, last - 1, 0, 5}, {1, 2, 3, 4}, last}; }

TEST(occurring_columns, are_those_with_entries) {
    EXPECT_EQ(used_columns(hashed()), (columns{0, 5, last - 1}));
    EXPECT_EQ(used_columns(sparse<double>({0, 0}, {}, {}, 9)), (columns{}));
}

TEST(occurring_columns, renumber_moves_and_leaves_out) {
    const dataset x = compact_columns(hashed(), columns{0, 5, last - 1});
    EXPECT_EQ(entries<float>(x), (std::vector<entry>{{0, 1, 1}, {0, 2, 2}, {2, 0, 3}, {2, 1, 4}}));
    EXPECT_EQ(x.dims(), 3);
    EXPECT_EQ(entries<float>(compact_columns(hashed(), columns{5, 7})), (std::vector<entry>{{0, 0, 1}, {2, 0, 4}}));
    EXPECT_EQ(entries<float>(first_columns(hashed(), 5)), (std::vector<entry>{{2, 0, 3}}));
    EXPECT_EQ(first_columns(hashed(), 5).dims(), 5);
}

TEST(occurring_columns, arrays_over_columns_are_weighed_against_the_entries) {
    EXPECT_TRUE(mostly_empty_columns(hashed()));
    EXPECT_FALSE(mostly_empty_columns(sparse<double>({0, 1}, {3}, {1}, 4)));
    EXPECT_FALSE(mostly_empty_columns(dense<double>(matrix<double>(1, 1))));
}

TEST(occurring_columns, keep_every_number_whatever_the_columns_are) {
    EXPECT_TRUE(arbitrary::holds("the entries under their old columns are the same", [] {
        const int n = arbitrary::integer(1, 6);
        const std::int32_t highest = arbitrary::one_of({10, 100000, last - 1});
        std::vector<index> start{0};
        columns col;
        std::vector<double> val;
        for (int i = 0; i < n; ++i) {
            const auto row = arbitrary::some_distinct(0, highest);
            for (const std::int32_t c : row) col.push_back(c), val.push_back(static_cast<double>(col.size()));
            start.push_back(static_cast<index>(col.size()));
        }
        const sparse<double> x(start, col, val, index{highest} + 1);
        const columns there = used_columns(x);
        const std::set<std::int32_t> expected(col.begin(), col.end());
        MUST_HOLD(there == columns(expected.begin(), expected.end()));
        auto moved = entries<double>(compact_columns(x, there));
        for (entry& each : moved) each.column = there[static_cast<std::size_t>(each.column)];
        MUST_HOLD(moved == entries<double>(x));
    }));
}

}  // namespace
}  // namespace mercer
