#include "mercer/dense/fast_transforms.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "contracts/errors.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

std::vector<double> some_numbers(index n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> out(static_cast<std::size_t>(n));
    for (double& each : out) each = normal(random);
    return out;
}

// H(i, j) = (-1)^(number of common bits of i and j). The numbers are integers, so that every sum is exact.
TEST(transforms, walsh_hadamard_is_the_matrix_of_signs) {
    for (index n = 1; n <= 32768; n *= 2) {
        std::mt19937_64 random(static_cast<std::uint64_t>(n));
        std::vector<double> x(static_cast<std::size_t>(n));
        for (double& each : x) each = static_cast<double>(random() % 2001) - 1000;
        std::vector<double> got = x;
        best_transform_ops().walsh_hadamard(got.data(), n);
        for (index row = 0; row < n; row += n < 2048 ? 1 : n / 61) {
            double want = 0;
            for (index j = 0; j < n; ++j)
                want += std::popcount(static_cast<std::uint64_t>(row & j)) % 2 ? -x[static_cast<std::size_t>(j)]
                                                                               : x[static_cast<std::size_t>(j)];
            ASSERT_EQ(got[static_cast<std::size_t>(row)], want) << n << " " << row;
        }
        best_transform_ops().walsh_hadamard(got.data(), n);
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], static_cast<double>(n) * x[i]) << n;
    }
}

// Cosine and sine are at most 1. The specified error is three units in the last place, and one more for the factor.
TEST(transforms, waves_are_cosines_and_sines_of_any_angle) {
    std::vector<double> angles{0, -0.0, 1e-300, 38999.9, 39000, -39000, 39000.1, 1e8, -1e15, 1e300};
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i)
        angles.push_back(std::ldexp(static_cast<double>(random()) * 0x1p-63 - 1, static_cast<int>(random() % 30) - 10));
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, angles.size()}) {
        std::vector<double> out(2 * count + 1, -7);
        EXPECT_TRUE(best_transform_ops().cos_sin(angles.data(), static_cast<index>(count), 0.5, out.data()));
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_NEAR(out[2 * i], 0.5L * std::cos(static_cast<long double>(angles[i])), 0x1p-52) << angles[i];
            ASSERT_NEAR(out[2 * i + 1], 0.5L * std::sin(static_cast<long double>(angles[i])), 0x1p-52) << angles[i];
        }
        EXPECT_EQ(out.back(), -7);
    }
    for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        for (const std::size_t at : {std::size_t{2}, std::size_t{16}}) {
            std::vector<double> some(17, 1.0), out(34);
            some[at] = bad;
            EXPECT_FALSE(best_transform_ops().cos_sin(some.data(), 17, 1, out.data()));
        }
}

// Compared with the definition in long double. The error of a transform is a few rounding errors times log n, relative
// to the product of the norms.
TEST(transforms, products_of_frequencies_are_circular_convolutions) {
    for (index n = 2; n <= 4096; n *= 2) {
        const convolution turn(n);
        const index lanes = turn.lanes();
        const auto a = some_numbers(turn.bundle(), 1), b = some_numbers(turn.bundle(), 2);
        std::vector<double> z = a, by = b;
        turn.forward(z.data()), turn.forward(by.data());
        turn.multiply(z.data(), by.data());
        turn.inverse(z.data());
        const auto at = [&](const std::vector<double>& v, index i, index r) {
            return static_cast<long double>(v[static_cast<std::size_t>(i * lanes + r)]);
        };
        for (index r = 0; r < lanes; ++r) {
            long double aa = 0, bb = 0;
            for (index i = 0; i < n; ++i) aa += at(a, i, r) * at(a, i, r), bb += at(b, i, r) * at(b, i, r);
            const long double most =
                8 * std::numeric_limits<double>::epsilon() * std::log2(2.0L * n) * std::sqrt(aa * bb);
            for (index k = 0; k < n; k += n < 512 ? 1 : n / 37) {
                long double want = 0;
                for (index i = 0; i < n; ++i) want += at(a, i, r) * at(b, (k - i + n) % n, r);
                ASSERT_LE(std::abs(at(z, k, r) - want), most) << n << " " << k << " " << r;
            }
        }
    }
}

// The transform of a sequence is bit-identical whichever sequences are transformed together with it, infinities
// included.
TEST(transforms, sequences_side_by_side_do_not_touch) {
    const convolution turn(64);
    const index lanes = turn.lanes();
    std::vector<double> alone(static_cast<std::size_t>(turn.bundle())), among = some_numbers(turn.bundle(), 5);
    const auto x = some_numbers(64, 6);
    for (double& each : among) each *= 1e200;
    among[0] = lanes > 1 ? std::numeric_limits<double>::infinity() : among[0];
    for (std::size_t i = 0; i < 64; ++i) {
        const std::size_t at = i * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lanes) - 1;
        alone[at] = among[at] = x[i];
    }
    for (auto* z : {&alone, &among}) {
        turn.forward(z->data());
        const std::vector<double> by = *z;
        turn.multiply(z->data(), by.data());
        turn.inverse(z->data());
    }
    for (index i = 0; i < 64; ++i) {
        const auto at = static_cast<std::size_t>(i * lanes + lanes - 1);
        EXPECT_EQ(alone[at], among[at]);
    }
}

TEST(transforms, convolutions_of_other_lengths_are_refused) {
    for (const index n : {-4, 0, 1, 3, 1000})
        expect_error(errc::invalid_argument, "power of two", [&] { convolution{n}; });
}

}  // namespace
}  // namespace mercer
