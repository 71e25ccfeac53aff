#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contracts/errors.h"
#include "mercer/base/threads.h"
#include "mercer/data/all_kinds.h"
#include "mercer/data/dataset.h"

namespace mercer {
namespace {

template <class T>
class finite : public ::testing::Test {};
using float_and_double = ::testing::Types<float, double>;
TYPED_TEST_SUITE(finite, float_and_double);

TYPED_TEST(finite, the_first_fault_by_rows_with_any_number_of_threads) {
    using T = TypeParam;
    const T bad[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                     -std::numeric_limits<T>::infinity()};
    matrix<T> x(5000, 37);
    for (index i = 0; i < x.rows(); ++i)
        for (index j = 0; j < x.cols(); ++j)
            x(i, j) = (i + j) % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::denorm_min();
    const auto look = [&] { return find_non_finite(dense<T>(x.view(), nullptr)); };
    EXPECT_FALSE(look());
    for (const auto& [row, column] : {std::pair<index, index>{4999, 36}, {4200, 5}, {17, 20}, {17, 3}, {0, 0}}) {
        x(row, column) = bad[row % 3];
        for (const int count : {1, 2, 5}) {
            const thread_limit limit(count);
            const auto found = look();
            ASSERT_TRUE(found);
            EXPECT_EQ(found->row, row);
            EXPECT_EQ(found->column, column);
            EXPECT_EQ(std::isnan(found->value), std::isnan(bad[row % 3]));
        }
    }
    testing::expect_error(errc::data, "row 0, column 0: nan", [&] { require_finite(dense<T>(x.view(), nullptr)); });
}

TYPED_TEST(finite, sparse_rows_say_their_column) {
    using T = TypeParam;
    const sparse<T> x(std::vector<index>{0, 2, 2, 4}, std::vector<std::int32_t>{3, 900, 1, 7},
                      std::vector<T>{1, 2, 3, std::numeric_limits<T>::infinity()}, 1000);
    const auto found = find_non_finite(x);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->row, 2);
    EXPECT_EQ(found->column, 7);
    EXPECT_FALSE(
        find_non_finite(sparse<T>(std::vector<index>{0, 0}, std::vector<std::int32_t>{}, std::vector<T>{}, 5)));
}

TEST(finite_objects, have_no_coordinates) {
    EXPECT_FALSE(find_non_finite(strings({"a", "b"})));
    EXPECT_FALSE(find_non_finite(dataset()));
}

}  // namespace
}  // namespace mercer
