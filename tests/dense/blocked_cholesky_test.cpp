#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mercer/dense/cholesky.h"

namespace mercer::smo {
namespace {

matrix<double> random_positive(index n) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::normal_distribution<double> normal;
    matrix<double> g(n, n), a(n, n);
    for (index i = 0; i < n * n; ++i) g.data()[i] = normal(random);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j) {
            for (index k = 0; k < n; ++k) a(i, j) += g(i, k) * g(j, k);
            if (i == j) a(i, j) += 1;
        }
    return a;
}

TEST(blocked_cholesky, reproduces_the_matrix_and_solves) {
    for (const index n : {1, 2, 5, 6, 7, 15, 16, 17, 95, 96, 97, 191, 200, 301}) {
        const matrix<double> a = random_positive(n);
        matrix<double> L = a;
        ASSERT_TRUE(blocked_cholesky(L)) << n;
        double worst = 0, largest = 0;
        for (index i = 0; i < n; ++i)
            for (index j = 0; j <= i; ++j) {
                double sum = 0;
                for (index k = 0; k <= j; ++k) sum += L(i, k) * L(j, k);
                worst = std::max(worst, std::abs(sum - a(i, j)));
                largest = std::max(largest, std::abs(a(i, j)));
            }
        EXPECT_LE(worst, 1e-13 * largest * static_cast<double>(n)) << n;
        std::vector<double> x(static_cast<std::size_t>(n)), b(x.size(), 0.0);
        for (index i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i));
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j) b[i] += a(i, j) * x[j];
        blocked_cholesky_solve(L, b);
        for (index i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-8) << n;
    }
}

TEST(blocked_cholesky, refuses_what_is_not_positive_definite) {
    for (const index n : {3, 150}) {
        matrix<double> a = random_positive(n);
        a(n - 1, n - 1) = -1;
        EXPECT_FALSE(blocked_cholesky(a));
    }
}

}  // namespace
}  // namespace mercer::smo
