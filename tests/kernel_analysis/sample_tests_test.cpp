#include <gtest/gtest.h>

#include <numeric>

#include "mercer/base/random_generator.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernel_analysis/permutation_tests.h"
#include "methods/clustering/cluster_support.h"

namespace mercer {
namespace {

using namespace cluster_testing;

matrix<double> normals(index n, index dims, std::uint64_t seed, double shift = 0) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(shift, 1);
    matrix<double> out(n, dims);
    for (index i = 0; i < n * dims; ++i) out.data()[i] = normal(random);
    return out;
}
dense<double> sample_of(index n, index dims, std::uint64_t seed, double shift = 0) {
    return dense<double>(normals(n, dims, seed, shift));
}

matrix<double> centred_by_definition(const matrix<double>& k) {
    const index n = k.rows();
    std::vector<double> mean(static_cast<std::size_t>(n));
    double total = 0;
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j) mean[static_cast<std::size_t>(i)] += k(i, j) / static_cast<double>(n);
    for (const double each : mean) total += each / static_cast<double>(n);
    matrix<double> out(n, n);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            out(i, j) = k(i, j) - mean[static_cast<std::size_t>(i)] - mean[static_cast<std::size_t>(j)] + total;
    return out;
}

TEST(two_sample_test, from_the_definition) {
    const dataset x = sample_of(13, 2, 1), z = sample_of(9, 2, 2, 0.5);
    const kernel k = gaussian{0.7};
    const matrix<double> xx = all_of(cpu_kernel_gram<double>(k, x)), zz = all_of(cpu_kernel_gram<double>(k, z)),
                         xz = all_of(cpu_kernel_gram<double>(k, x, z));
    double biased = 0, unbiased = 0;
    for (index i = 0; i < 13; ++i)
        for (index j = 0; j < 13; ++j) biased += xx(i, j) / 169, unbiased += i == j ? 0 : xx(i, j) / (13 * 12);
    for (index i = 0; i < 9; ++i)
        for (index j = 0; j < 9; ++j) biased += zz(i, j) / 81, unbiased += i == j ? 0 : zz(i, j) / (9 * 8);
    for (index i = 0; i < 13; ++i)
        for (index j = 0; j < 9; ++j) biased -= 2 * xz(i, j) / 117, unbiased -= 2 * xz(i, j) / 117;
    for (const auto kind : {two_sample_options::statistic::biased, two_sample_options::statistic::unbiased}) {
        const two_sample_result r = two_sample_test(k, x, z, {.kind = kind, .permutations = 50});
        EXPECT_NEAR(r.biased, biased, 1e-14);
        EXPECT_NEAR(r.unbiased, unbiased, 1e-14);
    }
    // With the linear kernel: the squared distance of the means.
    const two_sample_result plain = two_sample_test(linear{}, x, z, {.permutations = 0});
    double distance = 0;
    for (index c = 0; c < 2; ++c) {
        double a = 0, b = 0;
        for (index i = 0; i < 13; ++i) a += as_dense<double>(x).row(i)[c] / 13;
        for (index i = 0; i < 9; ++i) b += as_dense<double>(z).row(i)[c] / 9;
        distance += (a - b) * (a - b);
    }
    EXPECT_NEAR(plain.biased, distance, 1e-13);
    EXPECT_EQ(plain.p_value, 1);
}

TEST(two_sample_test, all_splits_of_a_small_sample) {
    // Two samples of 3 objects, far apart: of the 20 splits only this one and its mirror image reach the statistic.
    matrix<double> x(3, 1), z(3, 1);
    for (index i = 0; i < 3; ++i) x(i, 0) = 0.1 * static_cast<double>(i), z(i, 0) = 5 + 0.1 * static_cast<double>(i);
    const two_sample_result r =
        two_sample_test(gaussian{0.5}, dense<double>(x), dense<double>(z), {.permutations = 4000});
    EXPECT_NEAR(r.p_value, 0.1, 0.02);
}

TEST(two_sample_test, p_values_are_uniform_under_the_null_and_small_otherwise) {
    int below_half = 0, below_tenth = 0, found = 0;
    constexpr int runs = 200;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
        const double p = two_sample_test(gaussian{0.5}, sample_of(20, 2, 2 * seed), sample_of(15, 2, 2 * seed + 1),
                                         {.permutations = 99, .seed = seed})
                             .p_value;
        below_half += p <= 0.5;
        below_tenth += p <= 0.1;
        if (seed < 20)
            found += two_sample_test(gaussian{0.5}, sample_of(20, 2, 2 * seed), sample_of(15, 2, 2 * seed + 1, 2),
                                     {.permutations = 99, .seed = seed})
                         .p_value <= 0.05;
    }
    // Within four standard deviations of a binomial.
    EXPECT_NEAR(below_half, runs * 0.5, 4 * std::sqrt(runs * 0.25));
    EXPECT_NEAR(below_tenth, runs * 0.1, 4 * std::sqrt(runs * 0.09));
    EXPECT_EQ(found, 20);
}

TEST(two_sample_test, kept_or_computed_again_and_stopped) {
    const dataset x = sample_of(230, 3, 1), z = sample_of(170, 3, 2, 0.1);
    two_sample_options o{.permutations = 300, .seed = 5};
    const two_sample_result kept = two_sample_test(gaussian{0.5}, x, z, o);
    o.memory_bytes = 1 << 10;
    const two_sample_result again = two_sample_test(gaussian{0.5}, x, z, o);
    EXPECT_NEAR(kept.unbiased, again.unbiased, 1e-14);
    EXPECT_EQ(kept.p_value, again.p_value);
    EXPECT_EQ(kept.permutations, 300);
    index last = -1;
    o.progress = [&](const fit_progress& p) {
        EXPECT_GT(p.done, last);
        EXPECT_EQ(p.total, 301);
        last = p.done;
        return p.done < 128;
    };
    const two_sample_result stopped = two_sample_test(gaussian{0.5}, x, z, o);
    EXPECT_EQ(stopped.permutations, 127) << "the split that was given is one of the first 128";
    EXPECT_EQ(stopped.p_value, two_sample_test(gaussian{0.5}, x, z, {.permutations = 127, .seed = 5}).p_value);
}

TEST(two_sample_test, objects_seeds_and_errors) {
    const dataset a = gather(few_strings(), row_set(0, 3)), b = gather(few_strings(), row_set(3, 3));
    const two_sample_result words = two_sample_test(spectrum{2}, a, b);
    EXPECT_GT(words.biased, 0);
    EXPECT_EQ(two_sample_test(spectrum{2}, a, b).p_value, words.p_value) << "the same seed";
    EXPECT_EQ(two_sample_test(cpu_kernel_gram<double>(spectrum{2}, concatenate(a, b)), 3).p_value, words.p_value);
    const dataset one = sample_of(1, 2, 3);
    expect_error(errc::invalid_argument, "objects in each sample, got 1 and 1",
                 [&] { two_sample_test(linear{}, one, one); });
    EXPECT_EQ(two_sample_test(linear{}, one, one, {.kind = two_sample_options::statistic::biased}).p_value, 1);
    EXPECT_THROW(two_sample_test(linear{}, with_nan(), sample_of(3, 2, 1)), error);
    expect_error(errc::invalid_argument, "at least one object, got 2 and 0",
                 [&] { two_sample_test(cpu_kernel_gram<double>(linear{}, sample_of(2, 2, 1)), 2); });
}

TEST(independence_test, from_the_definition) {
    const dataset x = sample_of(15, 2, 5), y = sample_of(15, 3, 6);
    const kernel k = gaussian{0.3}, l = gaussian{0.2};
    using mercer::testing::real_matrix;
    const real_matrix K = all_of(cpu_kernel_gram<double>(k, x)), L = all_of(cpu_kernel_gram<double>(l, y)),
                      H = real_matrix::identity(15) - real_matrix::constant(15, 15, 1.0 / 15);
    const independence_result r = independence_test(k, x, l, y, {.permutations = 10});
    EXPECT_NEAR(r.hsic, (K * H * L * H).trace() / 225, 1e-15);
    EXPECT_NEAR(r.alignment, (K * H * L * H).trace() / std::sqrt((K * H * K * H).trace() * (L * H * L * H).trace()),
                1e-13);
    EXPECT_NEAR(independence_test(k, x, k, x, {.permutations = 0}).alignment, 1, 1e-13);
    // Linear kernels of one column each: the squared covariance.
    const dataset u = sample_of(30, 1, 7), v = sample_of(30, 1, 8);
    double mu = 0, mv = 0, cov = 0;
    for (index i = 0; i < 30; ++i) mu += as_dense<double>(u).row(i)[0] / 30, mv += as_dense<double>(v).row(i)[0] / 30;
    for (index i = 0; i < 30; ++i)
        cov += (as_dense<double>(u).row(i)[0] - mu) * (as_dense<double>(v).row(i)[0] - mv) / 30;
    EXPECT_NEAR(independence_test(linear{}, u, linear{}, v).hsic, cov * cov, 1e-14);
}

// Large enough for several chunks of rows, an incomplete batch of permutations, and a p-value between the extremes.
TEST(independence_test, permutations_from_the_definition) {
    constexpr index n = 1500, permutations = 9;
    matrix<double> u = normals(n, 1, 21), v = normals(n, 1, 22);
    for (index i = 0; i < n; ++i) v(i, 0) += 0.02 * u(i, 0);
    const matrix<double> a = centred_by_definition(all_of(cpu_kernel_gram<double>(gaussian{0.5}, dense<double>(u)))),
                         b = centred_by_definition(all_of(cpu_kernel_gram<double>(gaussian{0.5}, dense<double>(v))));
    const auto value = [&](const std::vector<index>& order) {
        long double sum = 0;
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j)
                sum += a(i, j) * b(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
        return static_cast<double>(sum / n / n);
    };
    std::vector<index> same(n);
    std::iota(same.begin(), same.end(), index{0});
    const double observed = value(same);
    random_generator random(5);  // folds.h has a function of that name
    index reached = 0;
    for (index p = 0; p < permutations; ++p) {
        std::vector<index> order = same;
        random.shuffle(order);
        reached += value(order) >= observed;
    }
    const independence_result r = independence_test(gaussian{0.5}, dense<double>(u), gaussian{0.5}, dense<double>(v),
                                                    {.permutations = permutations, .seed = 5});
    EXPECT_NEAR(r.hsic, observed, 1e-12 * observed);
    EXPECT_EQ(r.p_value, static_cast<double>(1 + reached) / (1 + permutations));
    EXPECT_GT(reached, 0);
    EXPECT_LT(reached, permutations);
}

TEST(independence_test, a_constant_depends_on_nothing) {
    matrix<double> same(20, 1);
    for (index i = 0; i < 20; ++i) same(i, 0) = 0.3;
    for (const kernel& k : {kernel(gaussian{1}), kernel(linear{})}) {
        const independence_result r =
            independence_test(k, dense<double>(same), gaussian{1}, sample_of(20, 1, 9), {.permutations = 50});
        EXPECT_EQ(r.hsic, 0);
        EXPECT_EQ(r.alignment, 0);
        EXPECT_EQ(r.p_value, 1);
    }
}

TEST(independence_test, p_values) {
    int below_half = 0, below_tenth = 0, found = 0;
    constexpr int runs = 200;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
        const matrix<double> x = normals(30, 1, 1000 + seed);
        const double p = independence_test(gaussian{0.5}, dense<double>(x), gaussian{0.5},
                                           sample_of(30, 1, 5000 + seed), {.permutations = 99, .seed = seed})
                             .p_value;
        below_half += p <= 0.5;
        below_tenth += p <= 0.1;
        if (seed >= 20) continue;
        // y = x² has no correlation with x but depends on it.
        matrix<double> y(30, 1);
        for (index i = 0; i < 30; ++i) y(i, 0) = x(i, 0) * x(i, 0);
        found += independence_test(gaussian{0.5}, dense<double>(x), gaussian{0.5}, dense<double>(y),
                                   {.permutations = 99, .seed = seed})
                     .p_value <= 0.05;
    }
    EXPECT_NEAR(below_half, runs * 0.5, 4 * std::sqrt(runs * 0.25));
    EXPECT_NEAR(below_tenth, runs * 0.1, 4 * std::sqrt(runs * 0.09));
    EXPECT_EQ(found, 20);
}

TEST(independence_test, stopped) {
    const dataset x = sample_of(30, 2, 5), y = sample_of(30, 3, 6);
    independence_options o{.permutations = 200, .seed = 3};
    o.progress = [](const fit_progress& p) { return p.done < 64; };
    const independence_result stopped = independence_test(gaussian{0.5}, x, gaussian{0.5}, y, o);
    EXPECT_EQ(stopped.permutations, 64);
    EXPECT_EQ(stopped.p_value,
              independence_test(gaussian{0.5}, x, gaussian{0.5}, y, {.permutations = 64, .seed = 3}).p_value);
}

TEST(independence_test, errors) {
    expect_error(errc::invalid_argument, "got 3 and 4",
                 [] { independence_test(linear{}, sample_of(3, 1, 1), linear{}, sample_of(4, 1, 1)); });
    expect_error(errc::memory, "needed for n = 3", [] {
        independence_test(linear{}, sample_of(3, 1, 1), linear{}, sample_of(3, 1, 1), {.memory_bytes = 10});
    });
    EXPECT_THROW(independence_test(linear{}, with_nan(), linear{}, sample_of(3, 1, 1)), error);
    EXPECT_EQ(independence_test(linear{}, sample_of(1, 1, 1), linear{}, sample_of(1, 1, 2)).p_value, 1);
}

}  // namespace
}  // namespace mercer
