#include "mercer/methods/random_features/count_sketch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "contracts/errors.h"
#include "mercer/methods/random_features/random_features.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

matrix<double> small_rows(index n, index d) {
    std::mt19937_64 random(21);
    std::normal_distribution<double> normal;
    matrix<double> out(n, d);
    for (index i = 0; i < n * d; ++i) out.data()[i] = normal(random);
    return out;
}

// All products of q coordinates of y, each added with its signs to the entry given by the sum of its hashes.
std::vector<double> by_definition(const count_sketch& s, const double* x) {
    std::vector<double> y, out(static_cast<std::size_t>(s.features));
    for (index a = 0; a < s.dims; ++a) y.push_back(std::sqrt(s.gamma) * x[a]);
    if (s.coef0 > 0) y.push_back(std::sqrt(s.coef0));
    const index m = std::ssize(y);
    for (index code = 0; code < static_cast<index>(std::pow(double(m), double(s.degree)) + 0.5); ++code) {
        double value = 1;
        index hash = 0;
        for (index t = 0, rest = code; t < s.degree; ++t, rest /= m) {
            const index where = s.places[static_cast<std::size_t>(t * m + rest % m)];
            value *= (where & 1 ? -1 : 1) * y[static_cast<std::size_t>(rest % m)];
            hash += where >> 1;
        }
        out[static_cast<std::size_t>(hash % s.buckets % s.features)] += value;
    }
    return out;
}

TEST(count_sketch, is_the_sketch_of_all_products_of_coordinates) {
    const index n = 11;
    for (const index degree : {1, 2, 3, 4})
        for (const index d : {1, 4})
            for (const index features : {1, 2, 3, 16, 37, 100})
                for (const double coef0 : {0.0, 0.7}) {
                    const count_sketch s = draw_count_sketch(d, degree, 0.3, coef0, features, 5);
                    EXPECT_EQ(s.coordinates(), d + (coef0 > 0));
                    matrix<double> x = small_rows(n, d), out(n, features);
                    apply(s, dataset(dense<double>(x.view())), out.view());
                    for (index i = 0; i < n; ++i) {
                        const std::vector<double> want = by_definition(s, x.row(i));
                        double norm = coef0;
                        for (index a = 0; a < d; ++a) norm += 0.3 * x(i, a) * x(i, a);
                        for (index b = 0; b < features; ++b)  // ‖y‖₁^q bounds every number
                            ASSERT_NEAR(out(i, b), want[static_cast<std::size_t>(b)],
                                        1e-13 * std::pow(double(s.coordinates()) * norm, double(degree) / 2))
                                << degree << " " << d << " " << features << " " << coef0;
                    }
                }
}

// Hashes are uniform: of 2N places drawn 40,000 times, χ² with 2N - 1 degrees of freedom has mean 2N - 1 and standard
// deviation √(4N - 2).
TEST(count_sketch, places_and_signs_are_uniform) {
    const count_sketch s = draw_count_sketch(20000, 2, 1, 0, 50, 3);
    ASSERT_EQ(s.buckets, 64);
    std::vector<double> seen(128);
    for (const index each : s.places) ++seen[static_cast<std::size_t>(each)];
    double chi = 0;
    for (const double each : seen) chi += (each - 312.5) * (each - 312.5) / 312.5;
    EXPECT_NEAR(chi, 127, 5 * std::sqrt(254.0));
    EXPECT_NE(std::vector(s.places.begin(), s.places.begin() + 20000),
              std::vector(s.places.begin() + 20000, s.places.end()));
}

TEST(count_sketch, takes_zeros_large_degrees_and_wide_sparse_rows) {
    const dataset zeros(dense<double>(matrix<double>(3, 5)));
    const auto none = transform(fit_random_features(kernel::parse("poly(degree=3)"), zeros, {10}), zeros);
    for (index i = 0; i < 30; ++i) EXPECT_EQ(none.data()[i], 0);
    // For a constant kernel one coordinate remains: φ is ±c^(q/2) in one entry.
    const auto constant = transform(fit_random_features(kernel::parse("poly(degree=12, coef0=4)"), zeros, {10}), zeros);
    double largest = 0, sum = 0;
    for (index b = 0; b < 10; ++b)
        largest = std::max(largest, std::abs(constant(0, b))), sum += std::abs(constant(0, b));
    EXPECT_NEAR(largest, 4096, 1e-9);
    EXPECT_NEAR(sum, 4096, 1e-8);

    const dataset wide(sparse<float>({0, 2, 2, 3}, {7, 99999, 50000}, {1.0f, -2.0f, 3.0f}, 100000));
    const auto phi = transform(fit_random_features(kernel::parse("poly(degree=2, gamma=0.5)"), wide, {256}), wide);
    // ⟨φ, φ⟩ of a row with one entry is exact: (γ9)².
    double norm = 0;
    for (index b = 0; b < 256; ++b) {
        norm += phi(2, b) * phi(2, b);
        EXPECT_EQ(phi(1, b), 0);
    }
    EXPECT_NEAR(norm, 4.5 * 4.5, 1e-11);
}

TEST(count_sketch, says_what_is_too_large) {
    matrix<double> x(3, 2);
    x(1, 0) = 1e200;
    const dataset far(dense<double>(std::move(x)));
    for (const char* text : {"poly(degree=2)", "poly(degree=12, coef0=1)", "poly(degree=1, gamma=1e300)"})
        expect_error(errc::data, "row 1 are beyond the range",
                     [&] { transform(fit_random_features(kernel::parse(text), far, {8}), far); });
    const auto m = fit_random_features(kernel::parse("poly(degree=1)"), far, {8});
    EXPECT_NO_THROW(transform(m, far));
    expect_error(errc::unsupported, "degree·features <= 2^28, got 1000000000",
                 [&] { fit_random_features(kernel::parse("poly(degree=1000000000)"), far, {8}); });
    expect_error(errc::invalid_argument, "2 features, got 3",
                 [&] { transform(m, dataset(dense<double>(matrix<double>(1, 3)))); });
    expect_error(errc::unsupported, "no frequencies", [&] { m.to_matrix(); });
}

TEST(count_sketch, comes_back_from_a_file_and_damage_is_found) {
    const matrix<double> x = small_rows(6, 5);
    const dataset rows(dense<double>(x.view()));
    for (const char* text : {"poly(degree=3, gamma=0.5, coef0=1)", "poly(degree=1)", "linear()"}) {
        const auto m = fit_random_features(kernel::parse(text), rows, {41});
        const auto again = parse_model<random_features_model>(model_bytes(m), "file");
        EXPECT_EQ(model_bytes(again), model_bytes(m));
        const matrix<double> want = transform(m, rows), got = transform(again, rows);
        for (index i = 0; i < 6 * 41; ++i) ASSERT_EQ(got.data()[i], want.data()[i]);
    }
    auto m = fit_random_features(kernel::parse("poly(degree=3)"), rows, {41});
    m.sketch.places[3] = 128;
    expect_error(errc::parse, "a place must satisfy 0 <= number < 128, got 128",
                 [&] { parse_model<random_features_model>(model_bytes(m), "file"); });
    m.sketch.places.pop_back();
    expect_error(errc::parse, "14 places for 5 features and degree 3",
                 [&] { parse_model<random_features_model>(model_bytes(m), "file"); });
    m.sketch.gamma = -1;
    expect_error(errc::parse, "gamma > 0", [&] { parse_model<random_features_model>(model_bytes(m), "file"); });
}

}  // namespace
}  // namespace mercer
