#include "mercer/methods/random_features/random_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "contracts/errors.h"
#include "mercer/gram/make_gram.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

dataset cloud(index n, index d) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    matrix<double> out(n, d);
    for (index i = 0; i < n * d; ++i) out.data()[i] = normal(random);
    return dense<double>(std::move(out));
}

// Root mean square of ⟨φ(x), φ(z)⟩ - k(x, z) over pairs and seeds.
double error_of(const kernel& k, const dataset& x, index features, frequency_choice how) {
    const index n = x.size();
    matrix<double> want(n, n);
    make_gram<double>(k, x)->fill(want.view());
    double sum = 0;
    constexpr int seeds = 30;
    for (int seed = 0; seed < seeds; ++seed) {
        const auto m = fit_random_features(k, x, {features, how, static_cast<std::uint64_t>(seed)});
        const matrix<double> phi = transform(m, x);
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j) {
                double got = 0;
                for (index c = 0; c < features; ++c) got += phi(i, c) * phi(j, c);
                sum += (got - want(i, j)) * (got - want(i, j));
            }
    }
    return std::sqrt(sum / (seeds * static_cast<double>(n * n)));
}

// A mean of D/2 numbers of variance at most ½: the error is at most 1/√D, and four times as many features halve it.
TEST(random_features, err_by_at_most_one_over_the_root_of_their_number) {
    const dataset x = cloud(25, 6);
    for (const char* text : {"rbf(gamma=0.1)", "rbf(gamma=1)", "laplacian(gamma=0.2)", "matern(nu=0.5)",
                             "matern(nu=1.5, length_scale=2)", "matern(nu=2.5)"}) {
        const kernel k = kernel::parse(text);
        const double few = error_of(k, x, 100, frequency_choice::independent),
                     many = error_of(k, x, 1600, frequency_choice::independent);
        EXPECT_LT(few, 1.1 / std::sqrt(100.0)) << text;
        EXPECT_LT(many, 1.1 / std::sqrt(1600.0)) << text;
        EXPECT_NEAR(few / many, 4, 0.8) << text;
        EXPECT_LT(error_of(k, x, 7, frequency_choice::independent), 1.1 / std::sqrt(7.0 - 1))
            << text;  // an odd number is unbiased too
        // Orthogonal frequencies reduce the variance and do not change the mean.
        if (k.node().form().operation != "laplacian") {
            EXPECT_LT(error_of(k, x, 96, frequency_choice::orthogonal),
                      1.02 * error_of(k, x, 96, frequency_choice::independent))
                << text;
        }
    }
}

TEST(random_features, have_unit_length_and_a_file) {
    const dataset x = cloud(10, 3);
    const auto m = fit_random_features(kernel::parse("rbf(gamma=0.5)"), x, {20});
    const matrix<double> phi = transform(m, x);
    for (index i = 0; i < 10; ++i) {
        double sum = 0;
        for (index c = 0; c < 20; ++c) sum += phi(i, c) * phi(i, c);
        EXPECT_NEAR(sum, 1, 1e-14);
    }
    const auto again = parse_model<random_features_model>(model_bytes(m), "file");
    const matrix<double> same = transform(again, x);
    for (index i = 0; i < 200; ++i) EXPECT_EQ(same.data()[i], phi.data()[i]);
}

TEST(random_features, refuse_what_has_no_density_of_frequencies) {
    const dataset x = cloud(5, 3);
    expect_error(errc::unsupported, "take nystroem", [&] { fit_random_features(kernel::parse("sigmoid()"), x, {}); });
    expect_error(errc::invalid_argument, ">= 1", [&] { fit_random_features(kernel::parse("rbf()"), x, {0}); });
    const auto m = fit_random_features(kernel::parse("rbf()"), x, {});
    expect_error(errc::invalid_argument, "3 features, got 4", [&] { transform(m, cloud(2, 4)); });
}

}  // namespace
}  // namespace mercer
