#include "mercer/dense/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel_analysis/random_matrices.h"
#include "mercer/base/threads.h"

namespace mercer {
namespace {

using namespace testing;

struct answer {
    mixed_result found;
    real_matrix x;  // a row for each right-hand side
};

// A is in the upper triangle; the lower triangle is the workspace of L.
answer solve(const real_matrix& a, const real_matrix& b) {
    const index n = a.rows();
    mixed_matrix memory(n);
    for (index i = 0; i < n; ++i)
        for (index j = i; j < n; ++j) memory.upper()(i, j) = a(i, j);
    real_matrix x = b;
    answer out{mixed_cholesky_solve(memory.upper(), memory.lower(), x.view()), {}};
    out.x = x;
    for (index i = 0; i < n; ++i)
        for (index j = i; j < n; ++j)
            EXPECT_EQ(std::isnan(a(i, j)) ? 0 : memory.upper()(i, j), std::isnan(a(i, j)) ? 0 : a(i, j))
                << "A is only read";
    return out;
}

// Checks the acceptance rule from the definition in long double.
void expect_solved(const real_matrix& a, const real_matrix& b, const answer& got) {
    ASSERT_TRUE(got.found.solved);
    const auto n = static_cast<double>(a.rows());
    double norm = 0;  // the largest row sum
    for (index i = 0; i < a.rows(); ++i) {
        double sum = 0;
        for (index j = 0; j < a.cols(); ++j) sum += std::abs(a(i, j));
        norm = std::max(norm, sum);
    }
    for (index c = 0; c < b.rows(); ++c) {
        double size = 0;
        for (index j = 0; j < a.cols(); ++j) size = std::max(size, std::abs(got.x(c, j)));
        for (index i = 0; i < a.rows(); ++i) {
            long double rest = b(c, i);
            for (index j = 0; j < a.cols(); ++j) rest -= static_cast<long double>(a(i, j)) * got.x(c, j);
            // the residual measured in double has its own rounding error
            EXPECT_LE(static_cast<double>(std::abs(rest)),
                      2 * std::sqrt(n) * std::numeric_limits<double>::epsilon() / 2 * (norm * size));
        }
    }
    EXPECT_LE(got.found.residual, std::sqrt(n) * std::numeric_limits<double>::epsilon() / 2);
}

std::vector<double> spread(index n, double least) {
    std::vector<double> values(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i)
        values[static_cast<std::size_t>(i)] =
            std::pow(least, n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0);
    return values;
}

TEST(mixed_cholesky, solves_to_the_accuracy_of_double) {
    std::mt19937_64 random(1);
    for (const index n : {1, 2, 63, 64, 65, 200, 301})
        for (const index columns : {1, 2, 5})
            for (const double least : {1.0, 1e-3, 1e-5}) {
                const real_matrix a = with_eigenvalues(spread(n, least), random), b = random_matrix(columns, n, random);
                const answer got = solve(a, b);
                expect_solved(a, b, got);
                const real_matrix expected = solve_definite(a, b.transpose()).transpose();
                EXPECT_LE((got.x - expected).norm(), 1e-14 * static_cast<double>(n) / least * expected.norm())
                    << n << " " << least;
            }
}

TEST(mixed_cholesky, scales_of_its_rows_do_not_matter) {
    std::mt19937_64 random(2);
    constexpr index n = 150;
    real_matrix a = with_eigenvalues(spread(n, 1e-3), random), b = random_matrix(2, n, random);
    std::vector<double> d(n);
    for (std::size_t i = 0; i < n; ++i) d[i] = std::ldexp(1.0, static_cast<int>(i % 41) - 20);
    a = real_matrix::diagonal(d) * a * real_matrix::diagonal(d);
    expect_solved(a, b, solve(a, b));
    a *= 1e200;  // far beyond the range of float
    b *= 1e100;
    expect_solved(a, b, solve(a, b));
}

// A factor in float often exists for these matrices; only the factor in double may decide.
TEST(mixed_cholesky, leaves_what_is_not_definite_to_double) {
    std::mt19937_64 random(3);
    constexpr index n = 120;
    for (const double least : {-0.5, -1e-3, -1e-6, -1e-8, -1e-10, -1e-13, 0.0})
        for (int again = 0; again < 10; ++again) {
            std::vector<double> values(n, 1.0);
            values[n / 2] = least;
            const real_matrix q = orthogonal_factor(random_matrix(n, n, random)), a = with_eigenvalues(values, q);
            // a right-hand side orthogonal to the critical direction
            const real_matrix b = q.nth_column(0).transpose();
            const answer got = solve(a, b);
            EXPECT_FALSE(got.found.solved) << least;
            EXPECT_EQ(got.x, b) << "what is not solved stays";
        }
    // Equal rows without a ridge.
    real_matrix twins = random_psd(n, n, random);
    for (index j = 0; j < n; ++j) twins(7, j) = twins(90, j);
    for (index i = 0; i < n; ++i) twins(i, 7) = twins(i, 90);
    twins(7, 7) = twins(90, 90);
    EXPECT_FALSE(solve(twins, random_matrix(1, n, random)).found.solved);
}

TEST(mixed_cholesky, extremes) {
    std::mt19937_64 random(4);
    real_matrix a = random_psd(80, 200, random);
    const real_matrix none(1, 80);
    const answer zero = solve(a, none);
    EXPECT_TRUE(zero.found.solved);
    EXPECT_EQ(zero.x, none);
    EXPECT_TRUE(solve(a, real_matrix(0, 80)).found.solved);
    const real_matrix b = random_matrix(1, 80, random);
    a(3, 50) = a(50, 3) = std::nan("");
    EXPECT_FALSE(solve(a, b).found.solved);
    a(3, 50) = a(50, 3) = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(solve(a, b).found.solved);
    EXPECT_FALSE(solve(real_matrix(4, 4), random_matrix(1, 4, random)).found.solved);
    EXPECT_FALSE(solve(-real_matrix::identity(4), random_matrix(1, 4, random)).found.solved);
}

TEST(mixed_cholesky, the_same_bits_for_any_number_of_threads) {
    std::mt19937_64 random(5);
    const real_matrix a = with_eigenvalues(spread(300, 1e-4), random), b = random_matrix(3, 300, random);
    const answer many = solve(a, b);
    thread_limit one(1);
    EXPECT_EQ(solve(a, b).x, many.x);
}

}  // namespace
}  // namespace mercer
