#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "contracts/errors.h"
#include "mercer/base/threads.h"
#include "mercer/data/vectors.h"
#include "mercer/methods/random_features/random_features.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

dataset normal_rows(index n, index d, double scale = 1) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    matrix<double> out(n, d);
    for (index i = 0; i < n * d; ++i) out.data()[i] = scale * normal(random);
    return dense<double>(std::move(out));
}

random_features_options structured(index features, std::uint64_t seed = 0) {
    return {features, frequency_choice::structured, seed};
}

double hadamard(index i, index j) { return std::popcount(static_cast<std::uint64_t>(i & j)) % 2 ? -1 : 1; }

// S·H·D₁·H·D₂·H·D₃/p^(3/2), multiplied out.
TEST(structured_frequencies, are_the_product_that_defines_them) {
    normal_generator random(4);
    for (const index d : {1, 3, 64, 100}) {
        const index count = 150;
        const structured_frequencies w = draw_structured(d, count, random, [] { return 0.5; });
        const index p = w.width();
        ASSERT_EQ(p, d <= 64 ? 64 : 128);
        const matrix<double> rows = w.to_matrix();
        for (index j = 0; j < count; j += 7) {
            std::vector<double> row(static_cast<std::size_t>(p));
            row[static_cast<std::size_t>(j % p)] = w.lengths[static_cast<std::size_t>(j)] / std::pow(double(p), 1.5);
            for (int step = 2; step >= 0; --step) {  // rowᵀ ← rowᵀ·H·D
                std::vector<double> next(row.size());
                for (index a = 0; a < p; ++a)
                    for (index b = 0; b < p; ++b)
                        next[static_cast<std::size_t>(a)] += row[static_cast<std::size_t>(b)] * hadamard(b, a);
                for (index a = 0; a < p; ++a)
                    row[static_cast<std::size_t>(a)] =
                        next[static_cast<std::size_t>(a)] * w.signs(3 * (j / p) + step, a);
            }
            for (index a = 0; a < d; ++a)
                ASSERT_NEAR(rows(j, a), row[static_cast<std::size_t>(a)],
                            1e-13 * w.lengths[static_cast<std::size_t>(j)]);
        }
        const dataset x = normal_rows(9, d);
        const auto operand = make_linear_operand(x);
        std::vector<double> scratch(static_cast<std::size_t>(2 * p)), angles(static_cast<std::size_t>(count));
        for (index i = 0; i < 9; ++i) {
            w.angles(*operand, i, scratch.data(), angles.data());
            for (index j = 0; j < count; ++j) {
                const double got = angles[static_cast<std::size_t>(j)];
                ASSERT_NEAR(got, operand->dot(i, rows.row(j)), 1e-12 * (1 + std::abs(got)));
            }
        }
    }
}

// If d is a power of two nothing is cut off: frequencies within a block are orthogonal and have the sampled lengths.
TEST(structured_frequencies, are_at_right_angles) {
    normal_generator random(5);
    const structured_frequencies w = draw_structured(128, 300, random, [] { return 1.0; });
    const matrix<double> rows = w.to_matrix();
    for (index i = 0; i < 300; i += 3)
        for (index j = 0; j <= i; ++j) {
            double dot = 0;
            for (index a = 0; a < 128; ++a) dot += rows(i, a) * rows(j, a);
            const double lengths = w.lengths[static_cast<std::size_t>(i)] * w.lengths[static_cast<std::size_t>(j)];
            if (i / 128 != j / 128) continue;
            ASSERT_NEAR(dot, i == j ? lengths : 0, 1e-13 * lengths);
        }
}

// χ has mean square `dims` and E χ⁴ = dims² + 2·dims; of n draws their means have standard errors √(2·dims/n) and
// √((8·dims³ + 40·dims² + 48·dims)/n).
TEST(structured_frequencies, lengths_are_those_of_normal_vectors) {
    for (const index dims : {2, 64, 1024}) {
        normal_generator random(6);
        constexpr int n = 100000;
        double square = 0, fourth = 0;
        for (int i = 0; i < n; ++i) {
            const double s = std::pow(random.chi(dims), 2);
            square += s / n, fourth += s * s / n;
        }
        const double d = static_cast<double>(dims);
        EXPECT_NEAR(square, d, 5 * std::sqrt(2 * d / n));
        EXPECT_NEAR(fourth, d * d + 2 * d, 5 * std::sqrt((8 * d * d * d + 40 * d * d + 48 * d) / n));
    }
}

TEST(structured_frequencies, rows_have_the_same_bits_dense_or_sparse_alone_or_among_others_by_any_threads) {
    const index n = 37, d = 90;
    const dataset x = normal_rows(n, d);
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    matrix<double> thinned(n, d);
    for (index i = 0; i < n; ++i) {
        for (index a = i % 4; a < d; a += 4) {
            thinned(i, a) = x.as<dense<double>>()->row(i)[a];
            col.push_back(static_cast<std::int32_t>(a)), val.push_back(thinned(i, a));
        }
        start.push_back(std::ssize(col));
    }
    const dataset thin(dense<double>(std::move(thinned))), compressed(sparse<double>(start, col, val, d));
    for (const char* text : {"rbf(gamma=0.1)", "matern(nu=1.5)", "poly(degree=3, gamma=0.2, coef0=1)", "linear()"}) {
        const kernel k = kernel::parse(text);
        const bool sketch = text[0] == 'p' || text[0] == 'l';
        auto o = structured(131, 9);
        if (sketch) o.frequencies = frequency_choice::orthogonal;
        const auto m = fit_random_features(k, thin, o);
        const matrix<double> want = transform(m, thin), got = transform(m, compressed);
        for (index i = 0; i < n * 131; ++i) ASSERT_EQ(want.data()[i], got.data()[i]) << text;
        for (const int count : {1, 3}) {
            const thread_limit limit(count);
            const matrix<double> again = transform(fit_random_features(k, compressed, o), thin);
            for (index i = 0; i < n * 131; ++i) ASSERT_EQ(want.data()[i], again.data()[i]) << text;
        }
        for (const index i : {index{0}, index{20}, n - 1}) {
            const matrix<double> one = transform(m, gather(thin, row_set(i, 1)));
            for (index c = 0; c < 131; ++c) ASSERT_EQ(one(0, c), want(i, c)) << text;
        }
    }
}

TEST(structured_frequencies, refuse_what_has_no_free_direction) {
    const dataset x = normal_rows(4, 3);
    expect_error(errc::unsupported, "structured needs rbf or matern",
                 [&] { fit_random_features(kernel::parse("laplacian(gamma=1)"), x, structured(10)); });
    for (const auto how : {frequency_choice::structured, frequency_choice::independent})
        expect_error(errc::invalid_argument, "no effect on poly(degree=3, gamma=1, coef0=0)", [&] {
            fit_random_features(kernel::parse("poly()"), x, {10, how, 0});
        });
}

// For any size: one coordinate, one feature, fewer features than coordinates, none of either, a hundred thousand.
TEST(structured_frequencies, have_unit_length_whatever_the_sizes) {
    for (const index d : {0, 1, 2, 5, 64, 65, 300})
        for (const index features : {1, 2, 3, 64, 129, 1000})
            for (const auto how : {frequency_choice::structured, frequency_choice::orthogonal}) {
                const dataset x = normal_rows(5, d);
                const matrix<double> phi =
                    transform(fit_random_features(kernel::parse("rbf(gamma=0.5)"), x, {features, how, 1}), x);
                for (index i = 0; i < 5; ++i) {
                    double sum = 0;
                    for (index c = 0; c < features; ++c) sum += phi(i, c) * phi(i, c);
                    // For an odd number the last feature is a single cosine.
                    EXPECT_LE(std::abs(sum - 1),
                              static_cast<double>(features % 2) / static_cast<double>(features) + 1e-13);
                }
            }
    for (const char* text : {"rbf()", "poly()"}) {
        const dataset x = normal_rows(3, 4), none = gather(x, row_set(0, 0));
        const auto m = fit_random_features(kernel::parse(text), x, {10});
        EXPECT_EQ(transform(m, none).rows(), 0);
        EXPECT_EQ(transform(fit_random_features(kernel::parse(text), none, {10}), none).cols(), 10);
    }
    std::vector<index> start{0, 2, 2, 3};
    const dataset wide(sparse<double>(start, {7, 99999, 50000}, {1.0, -2.0, 3.0}, 100000));
    for (const auto how : {frequency_choice::structured, frequency_choice::orthogonal, frequency_choice::independent}) {
        const matrix<double> phi =
            transform(fit_random_features(kernel::parse("rbf(gamma=0.1)"), wide, {64, how, 1}), wide);
        for (index c = 0; c < 64; c += 2) {  // the row without entries is the origin
            EXPECT_DOUBLE_EQ(phi(1, c), std::sqrt(2.0 / 64));
            EXPECT_EQ(phi(1, c + 1), 0);
        }
    }
}

TEST(structured_frequencies, say_what_is_too_large_or_not_a_number) {
    const dataset x = normal_rows(3, 4), far = normal_rows(3, 4, 1e200);
    for (const auto how : {frequency_choice::structured, frequency_choice::orthogonal}) {
        const auto m = fit_random_features(kernel::parse("rbf(gamma=1e300)"), x, {8, how, 0});
        const matrix<double> phi = transform(m, x);  // cosines of large angles are accurate too
        for (index i = 0; i < 24; ++i) EXPECT_TRUE(std::abs(phi.data()[i]) <= 0.5);
        expect_error(errc::data, "row 0 are beyond the range", [&] { transform(m, far); });
        for (const double bad : {std::nan(""), HUGE_VAL}) {
            matrix<double> some(2, 4);
            some(1, 2) = bad;
            const dataset wrong(dense<double>(std::move(some)));
            expect_error(errc::data, "", [&] { transform(m, wrong); });
            expect_error(errc::data, "", [&] { fit_random_features(kernel::parse("rbf()"), wrong, {8, how, 0}); });
        }
    }
}

TEST(structured_frequencies, come_back_from_a_file_and_damage_is_found) {
    const dataset x = normal_rows(6, 70);
    for (const char* text : {"rbf(gamma=0.5)", "matern(nu=2.5)"}) {
        const auto m = fit_random_features(kernel::parse(text), x, structured(301));
        const std::string bytes = model_bytes(m);
        const auto again = parse_model<random_features_model>(bytes, "file");
        EXPECT_EQ(model_bytes(again), bytes);
        const matrix<double> want = transform(m, x), got = transform(again, x);
        for (index i = 0; i < 6 * 301; ++i) ASSERT_EQ(got.data()[i], want.data()[i]);
    }
    auto m = fit_random_features(kernel::parse("rbf()"), x, structured(20));
    m.structured.signs(1, 3) = 0.5;
    expect_error(errc::parse, "a sign must be 1 or -1, got 0.5",
                 [&] { parse_model<random_features_model>(model_bytes(m), "file"); });
    m.structured.signs(1, 3) = 1;
    m.features = 300;
    expect_error(errc::parse, "10 frequencies for 300 features",
                 [&] { parse_model<random_features_model>(model_bytes(m), "file"); });
}

}  // namespace
}  // namespace mercer
