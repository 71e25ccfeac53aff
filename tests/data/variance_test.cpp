#include <gtest/gtest.h>

#include "contracts/errors.h"
#include "mercer/data/all_kinds.h"
#include "mercer/data/vectors.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

template <class T>
dataset plane(std::vector<T> values, index dims) {
    matrix<T> m(static_cast<index>(values.size()) / dims, dims);
    std::copy(values.begin(), values.end(), m.data());
    return dense<T>(std::move(m));
}

TEST(entry_variance, of_small_numbers_by_hand) {
    // 1 … 4: mean 2.5, squares 2.25 + 0.25 + 0.25 + 2.25
    EXPECT_DOUBLE_EQ(entry_variance(plane<double>({1, 2, 3, 4}, 2)), 1.25);
    EXPECT_DOUBLE_EQ(entry_variance(plane<float>({1, 2, 3, 4}, 1)), 1.25);
    EXPECT_EQ(entry_variance(plane<double>({7, 7, 7}, 3)), 0);
    EXPECT_EQ(entry_variance(dataset(dense<double>())), 0);
}

TEST(entry_variance, counts_the_zeros_of_sparse_vectors) {
    // rows (0, 3, 0) and (1, 0, 0): mean 2/3, variance 10/6 - 4/9
    const dataset x = sparse<double>({0, 1, 2}, {1, 0}, {3, 1}, 3);
    EXPECT_DOUBLE_EQ(entry_variance(x), 10.0 / 6 - 4.0 / 9);
}

TEST(entry_variance, leaves_out_weight_zero_and_nothing_else) {
    const dataset x = plane<double>({1, 2, 100, 200, 3, 4}, 2);
    EXPECT_DOUBLE_EQ(entry_variance(x, std::vector<double>{1, 0, 5}), 1.25);
    expect_error(errc::invalid_argument, "3 vectors but 1 weights", [&] { entry_variance(x, std::vector<double>{1}); });
}

TEST(entry_variance, far_from_zero_keeps_its_digits) {
    EXPECT_NEAR(entry_variance(plane<double>({1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4}, 2)), 1.25, 1e-6);
}

TEST(entry_variance, is_for_vectors) {
    expect_error(errc::unsupported, "strings", [] { entry_variance(dataset(strings({"a"}))); });
}

}  // namespace
}  // namespace mercer
