#include "mercer/meta/kernel_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

matrix<double> centred_matrix(const kernel& k, const dataset& x) {
    const index n = x.size();
    matrix<double> K(n, n);
    evaluator<double>(k, x).block(row_set(0, n), row_set(0, n), K.view());
    std::vector<double> mean(static_cast<std::size_t>(n), 0.0);
    double all = 0;
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j) {
            mean[static_cast<std::size_t>(i)] += K(i, j) / static_cast<double>(n);
            all += K(i, j) / static_cast<double>(n * n);
        }
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            K(i, j) += all - mean[static_cast<std::size_t>(i)] - mean[static_cast<std::size_t>(j)];
    return K;
}

double product(const matrix<double>& a, const matrix<double>& b) {
    double sum = 0;
    for (index i = 0; i < a.rows() * a.cols(); ++i) sum += a.data()[i] * b.data()[i];
    return sum;
}

// The definition, with whole matrices.
double alignment_of(const kernel_family& family, const std::vector<double>& d, std::span<const double> y,
                    bool classes) {
    const index n = family.size();
    matrix<double> K(n, n), T(n, n);
    for (std::size_t m = 0; m < d.size(); ++m) {
        const matrix<double> one = centred_matrix(family.parts()[m], family.objects());
        for (index i = 0; i < n * n; ++i) K.data()[i] += d[m] / family.scales()[m] * one.data()[i];
    }
    double mean = 0;
    for (const double each : y) mean += each / static_cast<double>(n);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            T(i, j) = classes ? y[static_cast<std::size_t>(i)] == y[static_cast<std::size_t>(j)]
                              : (y[static_cast<std::size_t>(i)] - mean) * (y[static_cast<std::size_t>(j)] - mean);
    // HKH is already centred, so that centring T changes only its norm.
    std::vector<double> row(static_cast<std::size_t>(n), 0.0);
    double all = 0;
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            row[static_cast<std::size_t>(i)] += T(i, j) / static_cast<double>(n),
                all += T(i, j) / static_cast<double>(n * n);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            T(i, j) += all - row[static_cast<std::size_t>(i)] - row[static_cast<std::size_t>(j)];
    return product(K, T) / std::sqrt(product(K, K) * product(T, T));
}

TEST(alignment, is_the_largest_of_all_weights) {
    for (const auto& [file, classes] : {std::pair{"wine.svm", true}, {"sonar.svm", true}, {"housing.svm", false}}) {
        const table data = sample(file);
        const kernel_family family({kernel::parse("rbf(gamma=0.001)"), kernel::parse("rbf(gamma=0.1)"),
                                    kernel::parse("linear()"), kernel::parse("poly(degree=2, coef0=1)")},
                                   data.x, true, 0);
        const aligned_weights found = align_weights(family, data.y, classes);
        EXPECT_TRUE(is_optimal(found.status)) << file;
        EXPECT_LE(found.gap, 1e-8);
        double sum = 0;
        for (const double d : found.weights) {
            EXPECT_GE(d, 0);
            sum += d;
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        EXPECT_NEAR(found.alignment, alignment_of(family, found.weights, data.y, classes), 1e-9) << file;
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> share(0, 1);
        for (int t = 0; t < 40; ++t) {
            std::vector<double> other = found.weights;
            double total = 0;
            for (double& d : other) d = std::max(0.0, d + 0.1 * (share(random) - 0.5)), total += d;
            ASSERT_GT(total, 0);
            EXPECT_LE(alignment_of(family, other, data.y, classes), found.alignment + 1e-9) << file;
        }
        for (std::size_t m = 0; m < found.weights.size(); ++m) {
            std::vector<double> alone(found.weights.size(), 0.0);
            alone[m] = 1;
            EXPECT_NEAR(found.single[m], alignment_of(family, alone, data.y, classes), 1e-9);
            EXPECT_LE(found.single[m], found.alignment + 1e-9);
        }
    }
}

// The kernel of the targets gets all the weight among several kernels.
TEST(alignment, finds_the_kernel_of_the_targets) {
    const table data = sample("housing.svm");
    matrix<double> with(data.x.size(), 2);
    for (index i = 0; i < with.rows(); ++i)
        with(i, 0) = data.y[static_cast<std::size_t>(i)], with(i, 1) = std::sin(static_cast<double>(i));
    const kernel_family family({kernel::parse("columns(linear(), [0])"), kernel::parse("columns(linear(), [1])")},
                               dataset(dense<double>(std::move(with))), true, 0);
    const aligned_weights found = align_weights(family, data.y, false);
    EXPECT_NEAR(found.alignment, 1, 1e-6);
    EXPECT_GT(found.weights[0], 0.999);
}

TEST(alignment, refuses_targets_that_are_all_the_same) {
    const table data = sample("wine.svm");
    const std::vector<double> y(static_cast<std::size_t>(data.x.size()), 1.0);
    const kernel_family family({linear{}}, data.x, true, 0);
    EXPECT_THAT(failure([&] { align_weights(family, y, true); }),
                HasSubstr("the alignment to be defined, but all targets are"));
}

}  // namespace
}  // namespace mercer
