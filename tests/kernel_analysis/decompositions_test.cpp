// Factor, spectrum, empirical map and repairs: identities between them.
#include <gtest/gtest.h>

#include <cmath>

#include "contracts/property.h"
#include "kernel_analysis/random_matrices.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernel_analysis/mercer_test.h"
#include "mercer/kernel_analysis/spectrum.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/strings/spectrum.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/polynomial.h"
#include "mercer/kernels/vectors/sigmoid.h"

namespace mercer::testing {
namespace {

TEST(factor, reproduces_and_bounds_its_residual) {
    std::mt19937_64 random(1);
    for (const double scale : {1e-300, 1.0, 1e300}) {
        const real_matrix k = scale * random_psd(40, 6, random);
        const gram_factor found = factorise(as_gram(k));
        EXPECT_EQ(found.rank(), 6);
        EXPECT_LT(found.relative, 1e-13);
        EXPECT_TRUE(found.holds());
        const real_matrix p = found.p;
        EXPECT_LE((p.transpose() * p - k).stable_norm(), found.residual);
    }
    EXPECT_EQ(factorise(as_gram(real_matrix(3, 3))).rank(), 0);
    EXPECT_EQ(factorise(as_gram(real_matrix(0, 0))).rank(), 0);
}

TEST(factor, ends_early_and_says_so) {
    std::mt19937_64 random(2);
    const real_matrix k = random_psd(30, 30, random);
    const gram_factor rough = factorise(as_gram(k), 20);
    EXPECT_LT(rough.rank(), 30);
    EXPECT_GT(rough.relative, 1e-3);
    EXPECT_TRUE(rough.holds()) << "no better than asked for is not wrong";
    const real_matrix p = rough.p;
    EXPECT_LE((p.transpose() * p - k).norm(), rough.residual);
    for (const double left : (k - p.transpose() * p).on_diagonal()) EXPECT_LE(left, 20 * (1 + 1e-12));

    const real_matrix bad = with_eigenvalues(evenly(30, -1, 1), random);
    EXPECT_GT(factorise(as_gram(bad)).relative, 0.1);
    EXPECT_FALSE(factorise(as_gram(bad)).holds());
    EXPECT_FALSE(factorise(as_gram(-bad * bad)).holds());
}

TEST(spectrum_of_gram, identities) {
    std::mt19937_64 random(3);
    const real_matrix k = random_psd(25, 5, random);
    const gram_spectrum found = decompose(as_gram(k));
    EXPECT_TRUE(std::is_sorted(found.values.rbegin(), found.values.rend()));
    const real_matrix ut = found.vectors, values = real_matrix::diagonal(found.values);
    EXPECT_LT((ut.transpose() * values * ut - k).norm(), 1e-12 * k.norm());
    EXPECT_EQ(found.rank(), 5);
    EXPECT_EQ(found.negative(), 0);
    const auto share = found.cumulative_share();
    EXPECT_NEAR(share[0], found.values[0] / k.trace(), 1e-12);
    EXPECT_NEAR(share[4], 1, 1e-12);
    EXPECT_DOUBLE_EQ(share.back(), 1);
}

TEST(spectrum_of_gram, effective_rank_of_known_matrices) {
    EXPECT_NEAR(decompose(as_gram(real_matrix::identity(8))).effective_rank(), 8, 1e-12);
    EXPECT_NEAR(decompose(as_gram(real_matrix::constant(8, 8, 1))).effective_rank(), 1, 1e-12);
    EXPECT_NEAR(decompose(as_gram(1e300 * real_matrix::identity(8))).effective_rank(), 8, 1e-12);
    // p = (3/4, 1/4): exp of the entropy is 4/3^(3/4).
    const real_matrix two = real_matrix::of_rows({{3, 0}, {0, -1}});
    EXPECT_NEAR(decompose(as_gram(two)).effective_rank(), 4 / std::pow(3, 0.75), 1e-12);
    EXPECT_EQ(decompose(as_gram(two)).negative(), 1);
    EXPECT_EQ(decompose(as_gram(real_matrix(3, 3))).effective_rank(), 0);
    EXPECT_EQ(decompose(as_gram(real_matrix(0, 0))).effective_rank(), 0);
    EXPECT_EQ(decompose(as_gram(real_matrix(3, 3))).cumulative_share(), (std::vector<double>{0, 0, 0}));
}

TEST(empirical_map, inner_products_are_the_kernel) {
    const dataset x = random_vectors(40, 3, 4), z = random_vectors(15, 3, 5);
    const kernel kernels[] = {gaussian{0.5}, polynomial{2, 1, 1}};
    for (const kernel& k : kernels) {
        const empirical_map map(k, x);
        matrix<double> kxx(40, 40), kzx(15, 40), kzz(15, 15);
        evaluator<double>(k, x).fill(kxx.view());
        evaluator<double>(k, z, x).fill(kzx.view());
        evaluator<double>(k, z).fill(kzz.view());
        const real_matrix a(map.training().view()), b(map.transform(z).view());
        const double size = real_matrix(kxx).norm();
        EXPECT_LT((a * a.transpose() - kxx).norm(), 1e-12 * size);
        EXPECT_LT((b * a.transpose() - kzx).norm(), 1e-9 * size) << k.text();
        // The image of a training object as a new one is its image as a training object.
        EXPECT_LT((real_matrix(map.transform(x).view()) - a).norm(), 1e-6 * a.norm());
    }
    // (1 + x'z)² in 3-D has 10 features, spanned by 40 points: the map is the whole feature space, so new pairs agree
    // as well.
    const empirical_map finite(kernels[1], x);
    EXPECT_EQ(finite.size(), 10);
    matrix<double> kzz(15, 15);
    evaluator<double>(kernels[1], z).fill(kzz.view());
    const real_matrix b(finite.transform(z).view());
    EXPECT_LT((b * b.transpose() - kzz).norm(), 1e-10 * real_matrix(kzz).norm());
}

TEST(empirical_map, works_for_strings) {
    const dataset x = strings({"abcab", "bcabc", "zzz", "aabbc"}), z = strings({"abc", "zzzz"});
    const kernel k = spectrum{2};
    const empirical_map map(k, x);
    matrix<double> kzx(2, 4);
    evaluator<double>(k, z, x).fill(kzx.view());
    const real_matrix a(map.training().view()), b(map.transform(z).view());
    EXPECT_LT((b * a.transpose() - kzx).norm(), 1e-12);
}

TEST(empirical_map, keeps_what_it_is_told_and_refuses_the_rest) {
    std::mt19937_64 random(6);
    const real_matrix k = with_eigenvalues(evenly(5, 1, 5), random);
    const empirical_map two(as_gram(k), 2);
    EXPECT_EQ(two.size(), 2);
    EXPECT_NEAR(two.discarded(), 1 + 2 + 3, 1e-12);
    expect_error(errc::invalid_argument, "without its kernel", [&] { two.transform(random_vectors(1, 1, 1)); });
    expect_error(errc::invalid_argument, "5 training objects, got 4",
                 [&] { two.transform_rows(matrix<double>(1, 4).view()); });
    expect_error(errc::not_psd, "got -1", [&] { empirical_map(as_gram(with_eigenvalues(evenly(5, -1, 5), random))); });
    EXPECT_EQ(empirical_map(as_gram(real_matrix(0, 0))).size(), 0);
    EXPECT_EQ(empirical_map(as_gram(real_matrix(3, 3))).training().dims(), 0);
}

constexpr repair_method methods[] = {repair_method::clip, repair_method::flip, repair_method::shift};

PROPERTY(repair, makes_matrices_positive_semidefinite) {
    const auto seed = arbitrary::any<std::uint64_t>();
    std::mt19937_64 random(seed);
    const index n = arbitrary::integer<index>(1, 40);
    const real_matrix half = random_matrix(n, n, random), k = half + half.transpose();
    for (const repair_method method : methods) {
        const repaired_gram made = repair(as_gram(k), method);
        MUST_HOLD(mercer_test(precomputed<double>(made.k)).verdict == mercer_verdict::certified);
        const real_matrix change = made.k - k;
        MUST_HOLD(std::abs(change.norm() - made.frobenius_change) <= 1e-12 * k.norm());
        const std::vector<double> values = eigenvalues_of(change);  // ascending
        const double spectral = std::max(std::abs(values.front()), std::abs(values.back()));
        MUST_HOLD(std::abs(spectral - made.spectral_change) <= 1e-12 * k.norm());
        // Training objects taken for new ones get the rows of the repaired matrix.
        std::vector<index> self(static_cast<std::size_t>(n));
        for (index i = 0; i < n; ++i) self[static_cast<std::size_t>(i)] = i;
        MUST_HOLD((real_matrix(made.extend(k.view(), self)) - made.k).norm() <=
                  1e-12 * static_cast<double>(n) * k.norm());
    }
}

PROPERTY(repair, clip_is_the_nearest) {
    const auto seed = arbitrary::any<std::uint64_t>();
    std::mt19937_64 random(seed);
    const index n = arbitrary::integer<index>(2, 15);
    const real_matrix half = random_matrix(n, n, random), k = half + half.transpose();
    const repaired_gram clip = repair(as_gram(k), repair_method::clip);
    const double nearest = clip.frobenius_change;
    const real_matrix clipped = clip.k;
    for (const repair_method other : methods)
        MUST_HOLD(nearest <= repair(as_gram(k), other).frobenius_change * (1 + 1e-12));
    for (int i = 0; i < 30; ++i) {
        // Any positive semidefinite matrix, some of them close by: (R + E)(R + E)ᵀ with RRᵀ the clipped one.
        oracle_eigen eigen = eigen_of(clipped);
        for (double& value : eigen.values) value = std::sqrt(std::max(value, 0.0));
        const real_matrix root = eigen.vectors * real_matrix::diagonal(eigen.values);
        const real_matrix moved = root + std::pow(10.0, -i % 6) * random_matrix(n, n, random);
        MUST_HOLD(nearest <= (moved * moved.transpose() - k).norm() * (1 + 1e-12));
    }
}

TEST(repair, eigenvalues_become_what_the_method_says) {
    std::mt19937_64 random(7);
    const std::vector<double> values = evenly(6, -2, 3);  // -2 -1 0 1 2 3
    const real_matrix k = with_eigenvalues(values, random);
    const auto off = [&](repair_method method, const std::vector<double>& expected) {
        const std::vector<double> after = eigenvalues_of(repair(as_gram(k), method).k);
        return (real_matrix::column(after) - real_matrix::column(expected)).norm();
    };
    EXPECT_LT(off(repair_method::clip, {0, 0, 0, 1, 2, 3}), 1e-13);
    EXPECT_LT(off(repair_method::flip, {0, 1, 1, 2, 2, 3}), 1e-13);
    EXPECT_LT(off(repair_method::shift, {0, 1, 2, 3, 4, 5}), 1e-13);
    const repaired_gram clip = repair(as_gram(k), repair_method::clip);
    EXPECT_NEAR(clip.frobenius_change, std::sqrt(5), 1e-13);
    EXPECT_NEAR(clip.relative_frobenius, std::sqrt(5.0 / 19), 1e-13);
    EXPECT_NEAR(clip.relative_spectral, 2.0 / 3, 1e-13);
    EXPECT_NEAR(clip.smallest, -2, 1e-13);
    const repaired_gram shift = repair(as_gram(k), repair_method::shift);
    EXPECT_NEAR(shift.shift, 2, 1e-13);
    EXPECT_NEAR(shift.frobenius_change, 2 * std::sqrt(6), 1e-13);
}

TEST(repair, leaves_a_good_matrix_alone) {
    std::mt19937_64 random(8);
    const real_matrix k = random_psd(10, 20, random);
    for (const repair_method method : methods) {
        const repaired_gram made = repair(as_gram(k), method);
        EXPECT_EQ((made.k - k).norm(), 0);
        EXPECT_EQ(made.frobenius_change, 0);
        const real_matrix row = random_matrix(2, 10, random);
        EXPECT_LT((made.extend(row.view()) - row).norm(), 1e-12);
    }
}

TEST(repair, out_of_sample_rows) {
    const dataset x = random_vectors(30, 3, 9), z = random_vectors(4, 3, 10);
    const kernel k = sigmoid{1, -1};
    matrix<double> kxx(30, 30), kzx(4, 30);
    evaluator<double>(k, x).fill(kxx.view());
    evaluator<double>(k, z, x).fill(kzx.view());
    const oracle_eigen eigen = eigen_of(kxx);
    const real_matrix u = eigen.vectors, rows = kzx;
    ASSERT_LT(eigen.values[0], -0.1);
    std::vector<double> sign, positive;
    for (const double value : eigen.values) {
        sign.push_back(value > 0 ? 1 : value < 0 ? -1 : 0);
        positive.push_back(value > 0 ? 1 : 0);
    }
    const repaired_gram flip = repair(precomputed<double>(kxx), repair_method::flip),
                        clip = repair(precomputed<double>(kxx), repair_method::clip);
    EXPECT_LT((flip.extend(kzx.view()) - rows * u * real_matrix::diagonal(sign) * u.transpose()).norm(), 1e-12);
    EXPECT_LT((clip.extend(kzx.view()) - rows * u * real_matrix::diagonal(positive) * u.transpose()).norm(), 1e-12);
    const repaired_gram shift = repair(precomputed<double>(kxx), repair_method::shift);
    const std::vector<index> which{-1, 7, -1, -1};
    real_matrix expected = rows;
    expected(1, 7) += shift.shift;
    EXPECT_EQ((shift.extend(kzx.view(), which) - expected).norm(), 0);
    const std::vector<index> beyond{-1, 30, -1, -1};
    expect_error(errc::invalid_argument, "-1 <= i < 30, got 30 for row 1", [&] { shift.extend(kzx.view(), beyond); });
    expect_error(errc::invalid_argument, "30 training objects, got 3",
                 [&] { flip.extend(matrix<double>(1, 3).view()); });
}

TEST(repair, edge_cases) {
    for (const repair_method method : methods) {
        EXPECT_EQ(repair(as_gram(real_matrix(0, 0)), method).size(), 0);
        const repaired_gram zero = repair(as_gram(real_matrix(3, 3)), method);
        EXPECT_EQ(zero.relative_frobenius, 0);
        EXPECT_EQ(real_matrix(zero.k).norm(), 0);
        for (const double scale : {1e-300, 1e300}) {
            const repaired_gram one = repair(as_gram(real_matrix::constant(1, 1, -scale)), method);
            EXPECT_EQ(one.k(0, 0), method == repair_method::flip ? scale : 0);
            EXPECT_EQ(one.relative_frobenius, method == repair_method::flip ? 2 : 1);
        }
        real_matrix broken = real_matrix::identity(2);
        broken(0, 1) = 0.5;
        expect_error(errc::invalid_argument, "symmetric", [&] { repair(as_gram(broken), method); });
        broken(0, 1) = std::nan("");
        expect_error(errc::data, "row 0, column 1", [&] { repair(as_gram(broken), method); });
    }
}

}  // namespace
}  // namespace mercer::testing
