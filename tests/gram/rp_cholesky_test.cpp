#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "contracts/errors.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/low_rank.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/gaussian.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

dataset cloud(index n, index d, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    matrix<double> out(n, d);
    for (index i = 0; i < n * d; ++i) out.data()[i] = normal(random);
    return dense<double>(std::move(out));
}

// F reproduces the columns and rows of the pivots, and the remainder is positive semidefinite with the reported trace.
TEST(rp_cholesky, interpolates_the_pivots) {
    const dataset x = cloud(120, 3, 1);
    const auto gram = make_gram<double>(gaussian{0.5}, x);
    matrix<double> k(120, 120);
    gram->fill(k.view());
    for (const index rank : {1, 10, 60}) {
        const random_pivots found = rp_cholesky(*gram, {.rank = rank, .seed = 3});
        ASSERT_EQ(std::ssize(found.pivots), rank);
        EXPECT_EQ(std::ssize(std::set<index>(found.pivots.begin(), found.pivots.end())), rank);
        double trace = 0, left = 0;
        const auto rest = [&](index i, index j) {
            double sum = k(i, j);
            for (index c = 0; c < rank; ++c) sum -= found.factor(i, c) * found.factor(j, c);
            return sum;
        };
        for (index i = 0; i < 120; ++i) {
            trace += k(i, i), left += rest(i, i);
            EXPECT_GE(rest(i, i), -1e-12);
            for (const index j : found.pivots) EXPECT_NEAR(rest(i, j), 0, 1e-10);
        }
        EXPECT_NEAR(found.remaining_trace, left / trace, 1e-12);
    }
}

TEST(rp_cholesky, stops_at_the_rank_of_the_matrix) {
    // Forty objects, ten of them distinct.
    const dataset few = cloud(10, 2, 2);
    std::vector<index> copies;
    for (index i = 0; i < 40; ++i) copies.push_back(i % 10);
    const auto gram = make_gram<double>(gaussian{1}, gather(few, std::span<const index>(copies)));
    const random_pivots found = rp_cholesky(*gram, {.rank = 40});
    EXPECT_EQ(found.pivots.size(), 10u);
    EXPECT_LT(found.remaining_trace, 1e-12);
    const matrix<double> zero(5, 5);
    EXPECT_TRUE(rp_cholesky(precomputed<double>(zero.view()), {.rank = 3}).pivots.empty());
}

// For a diagonal matrix the first pivot is i with probability dᵢ/Σd, which gives the method its name. 4000 samples,
// bounds of five standard deviations.
TEST(rp_cholesky, draws_in_proportion_to_the_diagonal) {
    matrix<double> k(4, 4);
    for (index i = 0; i < 4; ++i) k(i, i) = static_cast<double>(i + 1);
    std::vector<int> first(4), second_after_3(4);
    constexpr int draws = 4000;
    int with_3 = 0;
    for (int seed = 0; seed < draws; ++seed) {
        const auto pivots =
            rp_cholesky(precomputed<double>(k.view()), {.rank = 2, .seed = static_cast<std::uint64_t>(seed)}).pivots;
        ASSERT_EQ(pivots.size(), 2u);
        ++first[static_cast<std::size_t>(pivots[0])];
        if (pivots[0] == 3) ++with_3, ++second_after_3[static_cast<std::size_t>(pivots[1])];
    }
    for (std::size_t i = 0; i < 4; ++i) {
        const double p = static_cast<double>(i + 1) / 10;
        EXPECT_NEAR(first[i], draws * p, 5 * std::sqrt(draws * p * (1 - p)));
        const double q = i < 3 ? static_cast<double>(i + 1) / 6 : 0;
        EXPECT_NEAR(second_after_3[i], with_3 * q, 5 * std::sqrt(with_3 * q * (1 - q)) + 1e-9);
    }
}

TEST(rp_cholesky, refuses_what_makes_no_sense) {
    const matrix<double> k(3, 3), wide(2, 3);
    expect_error(errc::invalid_argument, "rank >= 1", [&] { rp_cholesky(precomputed<double>(k.view()), {.rank = 0}); });
    expect_error(errc::invalid_argument, "rows", [&] { rp_cholesky(precomputed<double>(wide.view()), {}); });
}

}  // namespace
}  // namespace mercer
