// Rows are packed for the tile loops once per call, several at a time, and dense rows of mostly zeros are packed as
// sparse rows.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "kernels/rows_support.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/kernels/vectors/polynomial.h"

namespace mercer {
namespace {

using testing_support::dense_of;
using testing_support::same_bits;
using testing_support::sparse_of;
using testing_support::values;

matrix<double> drawn(index n, index dims, double density, unsigned seed) {
    std::mt19937 random(seed);
    std::bernoulli_distribution there(density);
    std::normal_distribution<float> value;  // exact in float and in double
    matrix<double> rows(n, dims);
    for (index i = 0; i < n; ++i)
        for (index a = 0; a < dims; ++a) rows(i, a) = there(random) ? value(random) : 0.0f;
    return rows;
}

template <class T>
class left_rows_of : public ::testing::Test {};
using number_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(left_rows_of, number_types);

TYPED_TEST(left_rows_of, dense_rows_of_mostly_zeros_have_the_bits_of_sparse_ones) {
    using T = TypeParam;
    for (const double density : {0.0, 0.02, 0.2, 0.38})
        for (const index dims : {32, 57, 300}) {
            const matrix<double> x = drawn(150, dims, density, 1), z = drawn(71, dims, density, 2);
            const kernel both = kernel(gaussian{0.01}) + polynomial{2, 0.1, 0.5};
            for (const kernel& k : {kernel(gaussian{0.01}), kernel(linear{}), both}) {
                const matrix<T> want = values<T>(k, sparse_of<T>(x)),
                                wants = values<T>(k, sparse_of<T>(x), sparse_of<T>(z));
                same_bits(values<T>(k, dense_of<float>(x)), want, "float rows");
                same_bits(values<T>(k, dense_of<double>(x)), want, "double rows");
                same_bits(values<T>(k, sparse_of<float>(x)), want, "sparse float rows");
                same_bits(values<T>(k, sparse_of<double>(x)), want, "sparse double rows");
                same_bits(values<T>(k, dense_of<float>(x), dense_of<double>(z)), wants, "two sets");
                same_bits(values<T>(k, dense_of<double>(x), sparse_of<float>(z)), wants, "dense beside sparse");
            }
        }
}

// A prediction must not depend on the other rows of the call.
TYPED_TEST(left_rows_of, a_row_alone_has_the_bits_it_has_among_others) {
    using T = TypeParam;
    const matrix<double> z = drawn(90, 60, 0.3, 3);
    for (const double density : {0.1, 1.0}) {
        const matrix<double> x = drawn(40, 60, density, 4);
        const matrix<T> all = values<T>(gaussian{0.02}, dense_of<float>(x), dense_of<float>(z));
        for (index i = 0; i < x.rows(); ++i) {
            matrix<double> one(1, x.cols());
            std::copy_n(x.row(i), x.cols(), one.data());
            const matrix<T> alone = values<T>(gaussian{0.02}, dense_of<float>(one), dense_of<float>(z));
            for (index j = 0; j < z.rows(); ++j) ASSERT_EQ(alone(0, j), all(i, j)) << i << ", " << j;
        }
    }
}

// Rows of 64 kB: several groups of packed rows, for rectangular and symmetric blocks, for ranges and for lists.
TYPED_TEST(left_rows_of, groups_of_rows_join_without_a_seam) {
    using T = TypeParam;
    const index n = 700, dims = 64 * 1024 / static_cast<index>(sizeof(T));
    const matrix<double> x = drawn(n, dims, 0.9, 5);
    const dataset rows = dense_of<T>(x);
    const matrix<T> all = values<T>(linear{}, rows);
    const evaluator<T> k(linear{}, rows);
    std::vector<index> back;
    for (index i = n; i-- > 0;) back.push_back(i);
    matrix<T> turned(n, 5);
    k.block(std::span<const index>(back), row_set(3, 5), turned.view());
    for (index i = 0; i < n; i += 13)
        for (const index j : {index{3}, index{7}, index{131}, n - 1}) {
            double sum = 0, size = 0;
            for (index a = 0; a < dims; ++a) sum += x(i, a) * x(j, a), size += std::abs(x(i, a) * x(j, a));
            ASSERT_NEAR(all(i, j), sum,
                        4 * std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<double>(dims)) * size)
                << i << ", " << j;
            ASSERT_EQ(all(i, j), all(j, i));
            if (j < 8) {
                ASSERT_EQ(turned(n - 1 - i, j - 3), all(i, j));
            }
        }
}

// Norms of long rows are computed one by one; equal rows must still have distance zero, with and without a shift.
TYPED_TEST(left_rows_of, distances_of_long_rows) {
    using T = TypeParam;
    matrix<double> x = drawn(30, 9001, 1, 7);
    for (const double far : {0.0, 5.0}) {
        for (index i = 0; i < 30; ++i)
            for (index a = 0; a < x.cols(); ++a) x(i, a) = i >= 20 ? x(i - 20, a) : static_cast<float>(x(i, a) + far);
        const double gamma = 1.0 / 9001;
        for (const matrix<T>& got :
             {values<T>(gaussian{gamma}, dense_of<float>(x)), values<T>(gaussian{gamma}, dense_of<double>(x))})
            for (index i = 0; i < 30; ++i)
                for (index j = 0; j < 30; ++j) {
                    double d2 = 0;
                    for (index a = 0; a < x.cols(); ++a) d2 += (x(i, a) - x(j, a)) * (x(i, a) - x(j, a));
                    ASSERT_NEAR(got(i, j), std::exp(-gamma * d2), 200 * std::numeric_limits<T>::epsilon())
                        << i << ", " << j;
                    if (d2 == 0) {
                        ASSERT_EQ(got(i, j), 1) << i << ", " << j;
                    }
                }
    }
}

// Sixty columns of zeros and four far from the origin: distances lose their digits in float unless the mean is
// subtracted first.
TEST(left_rows, zeros_do_not_take_the_shift_from_distances_that_need_it) {
    matrix<double> x(200, 64);
    std::mt19937 random(6);
    std::normal_distribution<float> value;
    for (index i = 0; i < 200; ++i)
        for (index a = 0; a < 4; ++a) x(i, a) = 1000.0f + value(random);
    const matrix<float> got = values<float>(gaussian{0.5}, dense_of<float>(x));
    for (index i = 0; i < 200; ++i)
        for (index j = 0; j < 200; ++j) {
            double d2 = 0;
            for (index a = 0; a < 4; ++a) d2 += (x(i, a) - x(j, a)) * (x(i, a) - x(j, a));
            ASSERT_NEAR(got(i, j), std::exp(-0.5 * d2), 1e-5);
        }
}

}  // namespace
}  // namespace mercer
