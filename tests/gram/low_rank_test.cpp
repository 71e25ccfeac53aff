// Φ with K = ΦΦᵀ, computed from rows of K, compared with K.
#include "mercer/gram/low_rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mercer/gram/gram_views.h"

namespace mercer::smo {
namespace {

matrix<double> points(index n, index dims, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    matrix<double> x(n, dims);
    for (index i = 0; i < n * dims; ++i) x.data()[i] = normal(random);
    return x;
}

template <class Kernel>
matrix<double> kernel_matrix(const matrix<double>& x, Kernel k) {
    matrix<double> K(x.rows(), x.rows());
    for (index i = 0; i < x.rows(); ++i)
        for (index j = 0; j < x.rows(); ++j) {
            double dot = 0, square = 0;
            for (index a = 0; a < x.cols(); ++a)
                dot += x(i, a) * x(j, a), square += (x(i, a) - x(j, a)) * (x(i, a) - x(j, a));
            K(i, j) = k(dot, square);
        }
    return K;
}

double farthest(const matrix<double>& K, double common, const matrix<double>& phi) {
    double most = 0;
    for (index i = 0; i < K.rows(); ++i)
        for (index j = 0; j < K.rows(); ++j) {
            double sum = 0;
            for (index a = 0; a < phi.cols(); ++a) sum += phi(i, a) * phi(j, a);
            most = std::max(most, std::abs(K(i, j) + common - sum));
        }
    return most;
}

TEST(low_rank, planes_have_as_many_columns_as_coordinates) {
    for (const index dims : {1, 2, 7, 30}) {
        const matrix<double> K = kernel_matrix(points(200, dims, 1), [](double dot, double) { return dot; });
        const matrix<double> phi = low_rank_factor(precomputed<double>(K.view()), 0, 50, 0);
        ASSERT_EQ(phi.rows(), 200);
        EXPECT_EQ(phi.cols(), dims);
        EXPECT_LT(farthest(K, 0, phi), 1e-11);
    }
}

TEST(low_rank, wide_gaussians_to_the_residual_asked_for) {
    const matrix<double> K =
        kernel_matrix(points(300, 4, 2), [](double, double square) { return std::exp(-1e-3 * square); });
    index before = 0;
    for (const double residual : {1e-4, 1e-8, 1e-12}) {
        const matrix<double> phi = low_rank_factor(precomputed<double>(K.view()), 0, 300, residual);
        ASSERT_EQ(phi.rows(), 300);
        EXPECT_LE(farthest(K, 0, phi), residual * 1.01 + 1e-14);
        EXPECT_GT(phi.cols(), before);
        before = phi.cols();
    }
    EXPECT_LT(before, 150);
}

TEST(low_rank, a_common_value_is_added_back) {
    matrix<double> K = kernel_matrix(points(100, 3, 3), [](double, double square) { return std::exp(-1e-4 * square); });
    for (index i = 0; i < 100 * 100; ++i) K.data()[i] -= 0.999;
    const matrix<double> phi = low_rank_factor(precomputed<double>(K.view()), 0.999, 60, 1e-10);
    ASSERT_EQ(phi.rows(), 100);
    EXPECT_LE(farthest(K, 0.999, phi), 1.1e-10);
}

TEST(low_rank, nothing_where_there_are_too_many_directions_or_K_is_indefinite) {
    const matrix<double> identity =
        kernel_matrix(points(100, 3, 4), [](double, double square) { return std::exp(-1e6 * square); });
    EXPECT_EQ(low_rank_factor(precomputed<double>(identity.view()), 0, 60, 1e-6).rows(), 0);
    const matrix<double> bent = kernel_matrix(points(100, 3, 5), [](double dot, double) { return dot * dot - 1; });
    EXPECT_EQ(low_rank_factor(precomputed<double>(bent.view()), 0, 60, 1e-6).rows(), 0);
    // A zero diagonal with nonzero entries beside it, which must be detected.
    const matrix<double> hollow =
        kernel_matrix(points(40, 3, 6), [](double, double square) { return square > 0 ? 1.0 : 0.0; });
    EXPECT_EQ(low_rank_factor(precomputed<double>(hollow.view()), 0, 30, 1e-6).rows(), 0);
}

TEST(low_rank, zeros_and_one_point) {
    const matrix<double> zeros(20, 20);
    EXPECT_EQ(low_rank_factor(precomputed<double>(zeros.view()), 0, 5, 1e-6).cols(), 0);
    const matrix<double> one = kernel_matrix(points(1, 2, 7), [](double dot, double) { return dot; });
    EXPECT_EQ(low_rank_factor(precomputed<double>(one.view()), 0, 1, 1e-6).cols(), 1);
}

}  // namespace
}  // namespace mercer::smo
