// Vectors of -1, 0 and 1 are compared by bit counts, and functions of their distance are read from a table. Vectors
// multiplied by 2 do not use this path, and powers of two do not change rounding: k with γ/4 of the doubled vectors
// must be bit-identical.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "kernels/rows_support.h"
#include "mercer/kernels/evaluation/bit_rows.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/kernels/vectors/polynomial.h"

namespace mercer {
namespace {

using testing_support::same_bits;
using testing_support::values;

struct shape {
    index n, dims;
    double density;
    bool negative;
};

matrix<float> drawn(const shape& s, unsigned seed) {
    std::mt19937 random(seed);
    std::bernoulli_distribution there(s.density), minus(0.4);
    matrix<float> rows(s.n, s.dims);
    for (index i = 0; i < s.n; ++i)
        for (index a = 0; a < s.dims; ++a)
            rows(i, a) = there(random) ? (s.negative && minus(random) ? -1.0f : 1.0f) : 0.0f;
    return rows;
}

dataset scaled(const matrix<float>& rows, float by, bool as_sparse) {
    if (!as_sparse) {
        matrix<float> copy = rows;
        for (index i = 0; i < copy.rows(); ++i)
            for (index a = 0; a < copy.cols(); ++a) copy(i, a) *= by;
        return dense<float>(std::move(copy));
    }
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<float> value;
    for (index i = 0; i < rows.rows(); ++i) {
        for (index a = 0; a < rows.cols(); ++a)
            if (rows(i, a) != 0) col.push_back(static_cast<std::int32_t>(a)), value.push_back(by * rows(i, a));
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<float>(std::move(start), std::move(col), std::move(value), rows.cols());
}

// Distances within the shortest table, within longer tables, and beyond; fewer coordinates than a word, exactly one
// word, and many words.
const shape shapes[] = {{70, 1, 0.5, false},   {70, 31, 0.2, true},    {65, 32, 0.9, true},    {300, 123, 0.11, false},
                        {130, 68, 0.44, true}, {200, 300, 0.3, false}, {90, 1000, 0.02, true}, {64, 500, 0.9, false}};

TEST(bits, values_are_those_of_numbers_bit_for_bit) {
    for (const shape& s : shapes)
        for (const bool as_sparse : {false, true}) {
            const matrix<float> x = drawn(s, 1), z = drawn({s.n / 3 + 1, s.dims, s.density, s.negative}, 2);
            const dataset one = scaled(x, 1, as_sparse), other = scaled(z, 1, as_sparse);
            const dataset two = scaled(x, 2, true), twice = scaled(z, 2, true);  // sparse vectors are never shifted
            ASSERT_EQ(bit_rows::kind_of(two), bit_kind::no_bits);
            const double gamma = 0.37 / static_cast<double>(s.dims);
            same_bits(values<float>(gaussian{gamma}, one), values<float>(gaussian{gamma / 4}, two), "rbf, x x");
            same_bits(values<float>(gaussian{gamma}, one, other), values<float>(gaussian{gamma / 4}, two, twice),
                      "rbf, x z");
            same_bits(values<float>(polynomial{3, gamma, 1}, one, other),
                      values<float>(polynomial{3, gamma / 4, 1}, two, twice), "poly");
            same_bits(values<float>(kernel(gaussian{gamma}) + polynomial{2, gamma, 0.5}, one),
                      values<float>(kernel(gaussian{gamma / 4}) + polynomial{2, gamma / 4, 0.5}, two), "sum");
            matrix<float> dots = values<float>(linear{}, two, twice);
            for (index i = 0; i < dots.rows(); ++i)
                for (index j = 0; j < dots.cols(); ++j) dots(i, j) /= 4;
            same_bits(values<float>(linear{}, one, other), dots, "linear");
        }
}

TEST(bits, signs_may_be_on_one_side_only_and_sides_may_differ_in_columns) {
    const matrix<float> x = drawn({40, 40, 0.5, false}, 3), z = drawn({50, 90, 0.5, true}, 4);
    const kernel k = gaussian{0.01}, quarter = gaussian{0.0025};
    same_bits(values<float>(k, scaled(x, 1, true), scaled(z, 1, true)),
              values<float>(quarter, scaled(x, 2, true), scaled(z, 2, true)), "x z");
    same_bits(values<float>(k, scaled(z, 1, true), scaled(x, 1, true)),
              values<float>(quarter, scaled(z, 2, true), scaled(x, 2, true)), "z x");
}

TEST(bits, a_selection_is_taken_from_the_right_vectors) {
    const matrix<float> x = drawn({500, 123, 0.11, false}, 5);
    const dataset one = scaled(x, 1, true);
    const evaluator<float> k(gaussian{0.03}, one);
    const matrix<float> all = values<float>(gaussian{0.03}, one);
    const std::vector<index> rows{499, 0, 17, 17, 255, 256}, cols{3, 498, 64, 63, 2};
    matrix<float> some(6, 5);
    k.block(std::span<const index>(rows), std::span<const index>(cols), some.view());
    for (index i = 0; i < 6; ++i)
        for (index j = 0; j < 5; ++j)
            EXPECT_EQ(some(i, j), all(rows[static_cast<std::size_t>(i)], cols[static_cast<std::size_t>(j)]));
}

TEST(bits, kinds) {
    matrix<float> rows(2, 3);
    rows(1, 2) = 1;
    EXPECT_EQ(bit_rows::kind_of(dense<float>(rows)), bit_kind::zero_one);
    rows(0, 0) = -1;
    EXPECT_EQ(bit_rows::kind_of(dense<float>(rows)), bit_kind::signs);
    for (const float odd :
         {0.5f, 2.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        rows(1, 1) = odd;
        EXPECT_EQ(bit_rows::kind_of(dense<float>(rows)), bit_kind::no_bits) << odd;
    }
}

}  // namespace
}  // namespace mercer
