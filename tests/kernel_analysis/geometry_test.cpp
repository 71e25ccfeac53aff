#include "mercer/kernel_analysis/geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "kernel_analysis/random_matrices.h"
#include "mercer/data/all_kinds.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/sets/set_kernels.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer::testing {
namespace {

TEST(geometry, linear_kernel_gives_euclidean_geometry) {
    const dataset x = random_vectors(70, 5, 1), z = random_vectors(33, 5, 2);
    const real_matrix a(as_dense<double>(x).view()), b(as_dense<double>(z).view());
    const matrix<double> d = squared_distances(linear{}, x, z), c = cosines(linear{}, x, z);
    for (index i = 0; i < 70; ++i)
        for (index j = 0; j < 33; ++j) {
            const real_matrix one = a.nth_row(i), other = b.nth_row(j);
            EXPECT_NEAR(d(i, j), (one - other).squared_norm(), 1e-12);
            EXPECT_NEAR(c(i, j), dot(one, other) / (one.norm() * other.norm()), 1e-13);
        }
    const real_matrix mean = real_matrix::column(b.transpose().row_means()).transpose();
    const auto to_mean = squared_distances_to_mean(linear{}, x, z);
    for (index i = 0; i < 70; ++i) EXPECT_NEAR(to_mean[i], (a.nth_row(i) - mean).squared_norm(), 1e-12);

    double least = 1e300, best = 1e300;
    index nearest = 0, by_distance = 0;
    for (index i = 0; i < 33; ++i) {
        if (const double off = (b.nth_row(i) - mean).squared_norm(); off < least) least = off, nearest = i;
        double sum = 0;
        for (index j = 0; j < 33; ++j) sum += (b.nth_row(j) - b.nth_row(i)).norm();
        if (sum < best) best = sum, by_distance = i;
    }
    EXPECT_EQ(medoid(linear{}, z, dissimilarity::squared_distance).member, nearest);
    const medoid_result found = medoid(linear{}, z);
    EXPECT_EQ(found.member, by_distance);
    EXPECT_NEAR(found.sum, best, 1e-11);
}

TEST(geometry, one_data_set_and_a_matrix_agree_with_two) {
    const dataset x = random_vectors(50, 3, 3);
    const kernel k = gaussian{0.4};
    const matrix<double> two = squared_distances(k, x, x), one = squared_distances(k, x), angle_two = cosines(k, x, x),
                         angle_one = cosines(k, x);
    for (index i = 0; i < 50; ++i) {
        EXPECT_EQ(one(i, i), 0);
        for (index j = 0; j < 50; ++j) {
            EXPECT_NEAR(one(i, j), two(i, j), 1e-15);
            EXPECT_NEAR(angle_one(i, j), angle_two(i, j), 1e-15);
            EXPECT_GE(two(i, j), 0);
            EXPECT_EQ(one(i, j), one(j, i));
        }
    }
    const std::vector<index> group{3, 44, 17, 9};
    const cpu_kernel_gram<double> all(k, x);
    const auto by_rows = squared_distances_to_mean(all, group),
               by_data = squared_distances_to_mean(k, x, gather(x, std::span<const index>(group)));
    for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(by_rows[i], by_data[i], 1e-14);
    for (const auto measure : {dissimilarity::distance, dissimilarity::squared_distance}) {
        const medoid_result rows = medoid(all, group, measure),
                            data = medoid(k, gather(x, std::span<const index>(group)), measure);
        EXPECT_EQ(rows.member, group[static_cast<std::size_t>(data.member)]);
        EXPECT_NEAR(rows.sum, data.sum, 1e-13);
    }
}

TEST(geometry, sets) {
    // ‖A - B‖² of indicator vectors is the size of the symmetric difference.
    const dataset x = sets({{1, 2, 3}, {2, 3, 4, 5}, {}, {9}});
    const matrix<double> d = squared_distances(set_intersection{}, x);
    const double expected[4][4] = {{0, 3, 3, 4}, {3, 0, 4, 5}, {3, 4, 0, 1}, {4, 5, 1, 0}};
    for (index i = 0; i < 4; ++i)
        for (index j = 0; j < 4; ++j) EXPECT_EQ(d(i, j), expected[i][j]);
    const matrix<double> c = cosines(set_intersection{}, x);
    EXPECT_NEAR(c(0, 1), 2 / std::sqrt(12), 1e-15);
    EXPECT_EQ(c(2, 2), 0) << "the empty set has the zero vector";
    // Sums of distances: 2√3 + 2, √3 + 2 + √5, √3 + 2 + 1, 2 + √5 + 1.
    const medoid_result found = medoid(set_intersection{}, x);
    EXPECT_EQ(found.member, 2);
    EXPECT_NEAR(found.sum, 3 + std::sqrt(3), 1e-14);
}

TEST(geometry, an_indefinite_matrix_keeps_its_negative_distances) {
    real_matrix k = real_matrix::identity(2);
    k(0, 1) = k(1, 0) = 2;
    EXPECT_EQ(squared_distances(as_gram(k))(0, 1), -2);
    const std::vector<index> both{0, 1};
    expect_error(errc::not_psd, "got -2 between members 0 and 1", [&] { medoid(as_gram(k), both); });
    EXPECT_EQ(medoid(as_gram(k), both, dissimilarity::squared_distance).sum, -2);
    k(1, 1) = -1;
    expect_error(errc::not_psd, "got -1 for object 1", [&] { cosines(as_gram(k)); });
}

TEST(geometry, scale_and_errors) {
    for (const double scale : {1e-300, 1e300}) {
        real_matrix k = scale * real_matrix::identity(2);
        k(0, 1) = k(1, 0) = scale / 2;
        EXPECT_DOUBLE_EQ(cosines(as_gram(k))(0, 1), 0.5);
        EXPECT_DOUBLE_EQ(squared_distances(as_gram(k))(0, 1), scale);
    }
    const std::vector<index> none, beyond{0, 2};
    const auto k = as_gram(real_matrix::identity(2));
    expect_error(errc::invalid_argument, "at least one member", [&] { squared_distances_to_mean(k, none); });
    expect_error(errc::invalid_argument, "0 <= i < 2, got 2", [&] { medoid(k, beyond); });
    expect_error(errc::invalid_argument, "2 × 3", [&] { squared_distances(as_gram(real_matrix(2, 3))); });
    const std::vector<index> equal{1, 0, 1};
    EXPECT_EQ(medoid(k, equal).member, 1);
    EXPECT_EQ(squared_distances(linear{}, random_vectors(0, 2, 1)).rows(), 0);
}

}  // namespace
}  // namespace mercer::testing
