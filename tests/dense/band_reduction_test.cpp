#include "mercer/dense/band_reduction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/symmetric_eigen.h"

namespace mercer {
namespace {

matrix<double> random_symmetric(index n, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    matrix<double> b(n, n);
    for (index k = 0; k < n * n; ++k) b.data()[k] = normal(random);
    matrix<double> a = product(b.view(), transposed::no, b.view(), transposed::yes);
    for (index k = 0; k < n * n; ++k) a.data()[k] /= static_cast<double>(n);
    return a;
}

// Sizes around multiples of the band width, where the last panel is narrow.
TEST(band_reduction, solves_and_traces_like_the_eigendecomposition) {
    for (const index n : {index{128}, index{143}, index{144}, index{145}, index{193}, index{250}}) {
        const matrix<double> a = random_symmetric(n, static_cast<unsigned>(n));
        const eigen_system eigen = symmetric_eigen(a);
        matrix<double> work = a;
        // only the upper half may be read
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < i; ++j) work(i, j) = std::nan("");
        const band_reduction reduced(work.view());
        std::mt19937_64 random(7);
        std::normal_distribution<double> normal;
        matrix<double> b(3, n);
        for (index k = 0; k < 3 * n; ++k) b.data()[k] = normal(random);
        for (const double lambda : {1e-3, 0.5, 100.0}) {
            matrix<double> x = b;
            reduced.apply_qt(x.view());
            const auto trace = reduced.solve(lambda, x.view());
            reduced.apply_q(x.view());
            ASSERT_TRUE(trace);
            double expected = 0;
            for (const double value : eigen.values) expected += 1 / (value + lambda);
            EXPECT_NEAR(*trace, expected, 1e-10 * expected) << n;
            // (A + λI)x = b
            matrix<double> shifted = a;
            for (index i = 0; i < n; ++i) shifted(i, i) += lambda;
            const matrix<double> image = product(x.view(), transposed::no, shifted.view(), transposed::no);
            for (index k = 0; k < 3 * n; ++k) EXPECT_NEAR(image.data()[k], b.data()[k], 1e-9) << n;
        }
    }
}

TEST(band_reduction, diagonals_of_the_inverse) {
    for (const index n : {index{128}, index{143}, index{144}, index{145}, index{193}, index{250}}) {
        const matrix<double> a = random_symmetric(n, static_cast<unsigned>(n));
        const eigen_system eigen = symmetric_eigen(a);
        matrix<double> work = a;
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < i; ++j) work(i, j) = std::nan("");
        const band_reduction reduced(work.view());
        const std::vector<double> lambdas{1e-3, 0.5, 100.0};
        index bad = -1;
        const matrix<double> got = reduced.inverse_diagonals(lambdas, bad);
        ASSERT_EQ(bad, -1);
        for (index i = 0; i < n; ++i)
            for (index l = 0; l < 3; ++l) {
                double expected = 0;
                for (index k = 0; k < n; ++k)
                    expected += eigen.vectors(k, i) * eigen.vectors(k, i) /
                                (eigen.values[static_cast<std::size_t>(k)] + lambdas[static_cast<std::size_t>(l)]);
                EXPECT_NEAR(got(i, l), expected, 1e-10 * expected) << n << " " << i;
            }
        thread_limit one(1);
        const matrix<double> again = reduced.inverse_diagonals(lambdas, bad);
        EXPECT_TRUE(std::equal(got.data(), got.data() + 3 * n, again.data()));
    }
}

TEST(band_reduction, notices_a_matrix_that_is_not_definite) {
    matrix<double> a = random_symmetric(130, 1);
    for (index i = 0; i < 130; ++i) a(i, i) -= 1;
    const band_reduction reduced(a.view());
    matrix<double> none(0, 130);
    EXPECT_FALSE(reduced.solve(0.01, none.view()));
    index bad = -1;
    EXPECT_EQ(reduced.inverse_diagonals(std::vector<double>{2, 0.01}, bad).rows(), 0);
    EXPECT_EQ(bad, 1);
    EXPECT_TRUE(reduced.solve(2, none.view()));
    matrix<double> small(5, 5);
    EXPECT_THROW(band_reduction(small.view()), error);
}

TEST(cholesky_in_place, solves_with_the_upper_half_only) {
    const index n = 90;
    const matrix<double> a = random_symmetric(n, 3);
    matrix<double> work = a;
    for (index i = 0; i < n; ++i) {
        work(i, i) += 0.1;
        for (index j = 0; j < i; ++j) work(i, j) = std::nan("");
    }
    ASSERT_EQ(cholesky_in_place(work.view()), -1);
    for (const index m : {1, 4}) {
        matrix<double> b(n, m);
        for (index k = 0; k < n * m; ++k) b.data()[k] = std::sin(static_cast<double>(k));
        matrix<double> x = b;
        cholesky_solve(work.view(), x.view());
        for (index i = 0; i < n; ++i)
            for (index c = 0; c < m; ++c) {
                double sum = 0.1 * x(i, c);
                for (index j = 0; j < n; ++j) sum += a(i, j) * x(j, c);
                EXPECT_NEAR(sum, b(i, c), 1e-10);
            }
        // ‖R⁻ᵀb‖² = bᵀA⁻¹b
        matrix<double> rows(m, n);
        for (index i = 0; i < n; ++i)
            for (index c = 0; c < m; ++c) rows(c, i) = b(i, c);
        cholesky_forward_solve_rows(work.view(), rows.view());
        for (index c = 0; c < m; ++c) {
            double square = 0, form = 0;
            for (index i = 0; i < n; ++i) square += rows(c, i) * rows(c, i), form += b(i, c) * x(i, c);
            EXPECT_NEAR(square, form, 1e-9 * form);
        }
    }
    matrix<double> unit(n, n);
    for (index i = 0; i < n; ++i) unit(i, i) = 1;
    cholesky_solve(work.view(), unit.view());
    const std::vector<double> diagonal = inverse_diagonal(work.view());
    for (index i = 0; i < n; ++i) EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], unit(i, i), 1e-10 * unit(i, i));
}

TEST(cholesky_in_place, names_the_row) {
    matrix<double> a(3, 3);
    a(0, 0) = a(1, 1) = a(2, 2) = 1;
    a(0, 2) = a(2, 0) = 2;
    EXPECT_EQ(cholesky_in_place(a.view()), 2);
    a(1, 2) = std::nan("");
    EXPECT_THROW(cholesky_in_place(a.view()), error);
    matrix<double> none(0, 0);
    EXPECT_EQ(cholesky_in_place(none.view()), -1);
}

}  // namespace
}  // namespace mercer
