#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "kernel_analysis/random_matrices.h"
#include "mercer/base/context.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/symmetric_eigen.h"

namespace mercer {
namespace {

using namespace testing;

TEST(dense_algebra, eigendecomposition_has_small_residuals) {
    std::mt19937_64 random(1);
    for (const index n : {1, 2, 7, 60, 127, 128, 129, 257, 300}) {
        const real_matrix a = with_eigenvalues(evenly(n, -1, 2), random);
        const eigen_system found = symmetric_eigen(a);
        const real_matrix ut = found.vectors, values = real_matrix::diagonal(found.values);
        EXPECT_LT((ut * ut.transpose() - real_matrix::identity(n)).norm(), 1e-13 * static_cast<double>(n));
        EXPECT_LT((a * ut.transpose() - ut.transpose() * values).norm(), 1e-13 * static_cast<double>(n));
        EXPECT_TRUE(std::is_sorted(found.values.begin(), found.values.end()));
        const eigen_system only = symmetric_eigen(a, eigen_parts::values);
        for (index i = 0; i < n; ++i) EXPECT_NEAR(only.values[i], found.values[i], 1e-13 * static_cast<double>(n));
        EXPECT_EQ(only.vectors.rows(), 0);
    }
    EXPECT_TRUE(symmetric_eigen(matrix<double>(0, 0)).values.empty());
}

// Equal eigenvalues, a null space, and entries whose squares exceed the range of double.
TEST(dense_algebra, eigendecomposition_of_hard_matrices) {
    std::mt19937_64 random(11);
    constexpr index n = 200;
    std::vector<double> clusters(n), graded(n);
    for (std::size_t i = 0; i < n; ++i)
        clusters[i] = i < 90 ? 0 : i < 150 ? 1 : 3, graded[i] = std::pow(10.0, -static_cast<double>(i) / 10);
    for (const auto& values : {clusters, graded})
        for (const double scale : {1.0, 1e-200, 1e200}) {
            const real_matrix a = with_eigenvalues(values, random);
            std::vector<double> expected = values;
            std::sort(expected.begin(), expected.end());
            const eigen_system found = symmetric_eigen(a * scale),
                               only = symmetric_eigen(a * scale, eigen_parts::values);
            const real_matrix ut = found.vectors;
            EXPECT_LT((ut * ut.transpose() - real_matrix::identity(n)).norm(), 1e-13 * n);
            for (std::size_t i = 0; i < n; ++i) {
                EXPECT_NEAR(found.values[i] / scale, expected[i], 1e-14 * n);
                EXPECT_NEAR(only.values[i] / scale, expected[i], 1e-14 * n);
            }
            EXPECT_LT((a * ut.transpose() - ut.transpose() * real_matrix::diagonal(expected)).norm(), 1e-13 * n);
        }
    const eigen_system zero = symmetric_eigen(matrix<double>(n, n));
    EXPECT_EQ(zero.values, std::vector<double>(n, 0.0));
    EXPECT_EQ(symmetric_eigen(matrix<double>(n, n), eigen_parts::values).values, std::vector<double>(n, 0.0));
}

TEST(dense_algebra, cholesky_reproduces_or_says_no) {
    std::mt19937_64 random(2);
    const real_matrix a = random_psd(20, 30, random);
    const auto r = cholesky(a);
    ASSERT_TRUE(r);
    const real_matrix upper = *r;
    for (index i = 0; i < 20; ++i)
        for (index j = 0; j < i; ++j) EXPECT_EQ(upper(i, j), 0);
    EXPECT_LT((upper.transpose() * upper - a).norm(), 1e-13 * a.norm());
    EXPECT_FALSE(cholesky(with_eigenvalues(evenly(20, -0.1, 3), random)));
    EXPECT_FALSE(cholesky(matrix<double>(1, 1)));
    EXPECT_TRUE(cholesky(matrix<double>(0, 0)));
}

TEST(dense_algebra, pivoted_cholesky_finds_the_rank) {
    std::mt19937_64 random(3);
    for (const index rank : {1, 4, 10}) {
        const real_matrix a = random_psd(30, rank, random);
        const pivoted_factor found = pivoted_cholesky(a, 1e-10);
        EXPECT_EQ(found.p.rows(), rank);
        const real_matrix p = found.p;
        EXPECT_LT((p.transpose() * p - a).norm(), 1e-12 * a.norm());
        const std::vector<double> diagonal = a.on_diagonal();
        EXPECT_EQ(found.pivots.front(), std::max_element(diagonal.begin(), diagonal.end()) - diagonal.begin());
    }
    EXPECT_EQ(pivoted_cholesky(matrix<double>(3, 3), 0).p.rows(), 0);
    EXPECT_EQ(pivoted_cholesky(matrix<double>(0, 0), 0).p.rows(), 0);
    EXPECT_EQ(pivoted_cholesky(-real_matrix::identity(3), 0).p.rows(), 0);
}

TEST(dense_algebra, products_in_all_four_orders) {
    std::mt19937_64 random(4);
    const real_matrix a = random_matrix(3, 5, random), b = random_matrix(5, 4, random), at = a.transpose(),
                      bt = b.transpose(), c = a * b;
    using enum transposed;
    EXPECT_LT((product(a.view(), no, b.view(), no) - c).norm(), 1e-14);
    EXPECT_LT((product(at.view(), yes, b.view(), no) - c).norm(), 1e-14);
    EXPECT_LT((product(a.view(), no, bt.view(), yes) - c).norm(), 1e-14);
    EXPECT_LT((product(at.view(), yes, bt.view(), yes) - c).norm(), 1e-14);
    expect_error(errc::invalid_argument, "got 5 and 3", [&] { product(a.view(), no, a.view(), no); });
}

TEST(dense_algebra, norms_keep_their_range) {
    matrix<double> a(2, 2);
    a(0, 0) = 3e300;
    a(1, 0) = -4e300;
    EXPECT_NEAR(frobenius_norm(a.view()) / 5e300, 1, 1e-15);
    a(0, 0) = 3e-310;
    a(1, 0) = 4e-310;
    EXPECT_NEAR(frobenius_norm(a.view()) / 5e-310, 1, 1e-12);
    EXPECT_EQ(max_abs_entry(a.view()), 4e-310);
    EXPECT_EQ(frobenius_norm(matrix<double>(0, 0).view()), 0);
}

TEST(dense_algebra, refuses_what_lapack_cannot_take) {
    matrix<double> a(2, 2);
    a(1, 0) = std::numeric_limits<double>::quiet_NaN();
    expect_error(errc::data, "row 1, column 0", [&] { symmetric_eigen(a); });
    expect_error(errc::data, "row 1, column 0", [&] { cholesky(a); });
    expect_error(errc::invalid_argument, "2 × 3", [&] { symmetric_eigen(matrix<double>(2, 3)); });
}

// r^|i-j|, the correlations of a chain: its factors and its inverse are known. Large enough to be decomposed in parts.
constexpr index long_chain = 4200;
constexpr double step = 0.9;

template <class T>
matrix<T> chain() {
    matrix<T> a(long_chain, long_chain);
    std::vector<double> power(static_cast<std::size_t>(long_chain), 1.0);
    for (std::size_t i = 1; i < power.size(); ++i) power[i] = power[i - 1] * step;
    for (index i = 0; i < long_chain; ++i)
        for (index j = 0; j < long_chain; ++j)
            a(i, j) = static_cast<T>(power[static_cast<std::size_t>(std::abs(i - j))]);
    return a;
}
double chain_factor(index i, index j) {
    return std::pow(step, static_cast<double>(i - j)) * (j > 0 ? std::sqrt(1 - step * step) : 1.0);
}

TEST(dense_algebra, large_matrices_are_decomposed_in_parts) {
    matrix<double> a = chain<double>();
    ASSERT_EQ(cholesky_in_place(a.view()), -1);
    double worst = 0;
    for (index j = 0; j < long_chain; ++j)
        for (index i = j; i < long_chain; i += 1 + (i - j) / 8)
            worst = std::max(worst, std::abs(a(j, i) - chain_factor(i, j)));
    EXPECT_LT(worst, 1e-12);
    const std::vector<double> inverse = inverse_diagonal(a.view());
    for (index i = 0; i < long_chain; ++i) {
        const double own = i == 0 || i + 1 == long_chain ? 1 : 1 + step * step;
        ASSERT_NEAR(inverse[static_cast<std::size_t>(i)], own / (1 - step * step), 1e-10);
    }
    matrix<float> b = chain<float>();
    ASSERT_TRUE(cholesky_lower_in_place(b.view()));
    worst = 0;
    for (index j = 0; j < long_chain; ++j)
        for (index i = j; i < long_chain; i += 1 + (i - j) / 8)
            worst = std::max(worst, std::abs(static_cast<double>(b(i, j)) - chain_factor(i, j)));
    EXPECT_LT(worst, 1e-4);
    // The first minor that is not positive, at different positions.
    for (const index bad : {index{0}, index{3000}, long_chain - 1}) {
        a = chain<double>();
        a(bad, bad) = -1;
        EXPECT_EQ(cholesky_in_place(a.view()), bad);
    }
}

TEST(dense_algebra, a_decomposition_can_be_stopped) {
    matrix<double> a = chain<double>();
    const auto start = std::chrono::steady_clock::now();
    int asked = 0;
    const cancellation_scope scope(
        [&] { return ++asked > 1 || std::chrono::steady_clock::now() - start > std::chrono::minutes(1); });
    EXPECT_THROW(
        {
            for (;;) cholesky_in_place(a.view());
        },
        error);
    EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace mercer
