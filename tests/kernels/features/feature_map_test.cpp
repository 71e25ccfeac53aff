#include "mercer/kernels/features/feature_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "contracts/property.h"
#include "kernel_analysis/random_matrices.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/cosine.h"
#include "mercer/kernels/strings/spectrum.h"
#include "mercer/kernels/vectors/all_subsets.h"
#include "mercer/kernels/vectors/bilinear.h"
#include "mercer/kernels/vectors/constant.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/kernels/vectors/polynomial.h"
#include "mercer/kernels/vectors/sigmoid.h"

namespace mercer::testing {
namespace {

using names = std::vector<std::string>;

// φ(x)ᵀφ(z) against the kernel, to 1e-12 of √(k(x,x)k(z,z)).
void expect_map_of(const kernel& k, const feature_map& map, index dims) {
    const dataset x = random_vectors(12, dims, 3), z = random_vectors(9, dims, 4);
    const real_matrix a(map.apply(x).view()), b(map.apply(z).view());
    matrix<double> direct(12, 9);
    evaluator<double>(k, x, z).fill(direct.view());
    const auto xx = kernel_diagonal(k, x), zz = kernel_diagonal(k, z);
    for (index i = 0; i < 12; ++i)
        for (index j = 0; j < 9; ++j)
            EXPECT_NEAR(dot(a.nth_row(i), b.nth_row(j)), direct(i, j),
                        1e-12 * std::sqrt(xx[static_cast<std::size_t>(i)] * zz[static_cast<std::size_t>(j)]))
                << k.text();
}

TEST(feature_map, maps_of_the_sources) {
    const feature_map square(polynomial{2, 1, 0}, 2);
    EXPECT_EQ(square.names(), (names{"x1^2", "sqrt2*x1*x2", "x2^2"}));
    const feature_map affine(polynomial{2, 1, 1}, 2);
    EXPECT_EQ(affine.names(), (names{"1", "sqrt2*x1", "sqrt2*x2", "x1^2", "sqrt2*x1*x2", "x2^2"}));
    matrix<double> one(1, 2);
    one(0, 0) = 3;
    one(0, 1) = 5;
    const dense<double> image = affine.apply(dense<double>(one));
    const double root2 = std::sqrt(2);
    const double expected[] = {1, 3 * root2, 5 * root2, 9, 15 * root2, 25};
    for (index t = 0; t < 6; ++t) EXPECT_DOUBLE_EQ(image.row(0)[t], expected[t]);

    // φ = (1, x1, x2, x1², x2², x1x2) is a kernel of its own: without the roots of two.
    const kernel own = from_feature_map("monomials", [](std::span<const double> x) -> std::vector<double> {
        return {1, x[0], x[1], x[0] * x[0], x[1] * x[1], x[0] * x[1]};
    });
    const feature_map map(own, 2);
    EXPECT_EQ(map.size(), 6);
    EXPECT_EQ(map.name(5), "monomials(x)[6]");
    const dataset x = random_vectors(6, 2, 1);
    const dense<double> rows = as_dense<double>(x), images = map.apply(x);
    matrix<double> k(6, 6);
    evaluator<double>(own, x).fill(k.view());
    for (index i = 0; i < 6; ++i)
        for (index j = 0; j < 6; ++j) {
            const double a = rows.row(i)[0] * rows.row(j)[0], b = rows.row(i)[1] * rows.row(j)[1];
            const double closed = 1 + a + b + a * a + b * b + a * b;
            EXPECT_NEAR(k(i, j), closed, 1e-12 * (1 + std::abs(closed)));
            double sum = 0;
            for (index t = 0; t < 6; ++t) sum += images.row(i)[t] * images.row(j)[t];
            EXPECT_NEAR(sum, closed, 1e-12 * (1 + std::abs(closed)));
        }
}

TEST(feature_map, leaves) {
    expect_map_of(linear{}, feature_map(linear{}, 5), 5);
    EXPECT_EQ(feature_map(linear{}, 3).names(), (names{"x1", "x2", "x3"}));
    for (const int degree : {1, 2, 3, 5, 8})
        for (const double r : {0.0, 0.7})
            for (const index dims : {1, 2, 4}) {
                const kernel k = polynomial{degree, 0.3, r};
                const feature_map map(k, dims);
                expect_map_of(k, map, dims);
                // C(d + D, D) monomials of degree <= D, C(d - 1 + D, D) of degree D.
                const double d = static_cast<double>(dims) - (r > 0 ? 0 : 1);
                EXPECT_EQ(map.size(),
                          std::llround(std::tgamma(d + degree + 1) / std::tgamma(d + 1) / std::tgamma(degree + 1)));
            }
    expect_map_of(all_subsets{}, feature_map(all_subsets{}, 6), 6);
    EXPECT_EQ(feature_map(all_subsets{}, 2).names(), (names{"1", "x1", "x2", "x1*x2"}));
    const kernel product = bilinear{{{2, 1, 0}, {1, 2, 0.5}, {0, 0.5, 1}}};
    expect_map_of(product, feature_map(product, 3), 3);
    expect_map_of(cosine{}, feature_map(cosine{}, 3), 3);
    expect_map_of(constant{2.5}, feature_map(constant{2.5}, 3), 3);
    EXPECT_EQ(feature_map(constant{4}, 0).names(), names{"2"});
    EXPECT_EQ(feature_map(constant{0}, 2).size(), 0);
}

TEST(feature_map, algebra) {
    const kernel lin = linear{};
    // The same kernel by three routes has the same features.
    const names expected = feature_map(polynomial{2, 1, 1}, 2).names();
    EXPECT_EQ(feature_map(pow(lin + 1.0, 2), 2).names(), expected);
    EXPECT_EQ(feature_map((lin + 1.0) * (1.0 + lin), 2).names(), expected);
    EXPECT_EQ(feature_map(polynomial_of(lin, {1, 2, 1}), 2).names(), expected);
    EXPECT_EQ(feature_map(0.5 * lin, 1).names(), names{"sqrt(0.5)*x1"});
    EXPECT_EQ(feature_map(columns(lin, {2, 0}) + lin, 3).names(), (names{"sqrt2*x1", "x2", "sqrt2*x3"}));
    EXPECT_EQ(feature_map(pow(lin, 0), 2).names(), names{"1"});

    const object_function norm = [](const dataset& x) {
        const dense<double> rows = as_dense<double>(x);
        std::vector<double> h;
        for (index i = 0; i < rows.size(); ++i) h.push_back(std::abs(rows.row(i)[0]) + 1);
        return h;
    };
    const kernel phi = from_feature_map("pair", [](std::span<const double> x) -> std::vector<double> {
        return {std::sin(x[0]), x[0] * x[2]};
    });
    const embedding turn = vector_map("turn", [](std::span<const double> x) -> std::vector<double> {
        return {x[2], x[0], x[1], x[0] - x[1]};
    });
    const kernel trees[] = {
        0.3 * lin + kernel(polynomial{3, 0.5, 2}) * kernel(all_subsets{}),
        pow(lin + kernel(constant{0.2}), 4),
        polynomial_of(kernel(all_subsets{}), {0.5, 0, 3}),
        columns(polynomial{2, 1, 1}, {0, 2}) * columns(lin, {1}),
        normalise(polynomial{2, 1, 0.5}),
        normalise(lin + normalise(polynomial{3, 1, 1})),
        conjugate("h", norm, pow(lin, 2)),
        phi * lin + phi,
        pull_back("turn", turn, polynomial{2, 1, 1}) + columns(pull_back("turn", turn, lin), {0, 1, 2}),
        columns(conjugate("h", norm, normalise(lin)), {2, 1}),
        pull_back("turn", turn, columns(kernel(cosine{}), {3, 0})),
    };
    for (const kernel& k : trees) expect_map_of(k, feature_map(k, 3), 3);
}

PROPERTY(feature_map, random_trees) {
    const auto seed = arbitrary::any<std::uint64_t>();
    std::mt19937_64 random(seed);
    const auto grow = [&](const auto& self, int depth) -> kernel {
        const auto pick = random() % (depth > 0 ? 8 : 4);
        switch (pick) {
            case 0: return linear{};
            case 1: return polynomial{static_cast<int>(1 + random() % 3), 0.5, static_cast<double>(random() % 2)};
            case 2: return constant{0.75};
            case 3: return all_subsets{};
            case 4: return self(self, depth - 1) + self(self, depth - 1);
            case 5: return self(self, depth - 1) * self(self, depth - 1);
            case 6: return 0.4 * self(self, depth - 1);
            default: return pow(self(self, depth - 1), 2);
        }
    };
    const kernel k = grow(grow, 2);
    const feature_map map(k, 2);
    const dataset x = random_vectors(5, 2, seed);
    const real_matrix a(map.apply(x).view());
    matrix<double> direct(5, 5);
    evaluator<double>(k, x).fill(direct.view());
    for (index i = 0; i < 5; ++i)
        for (index j = 0; j < 5; ++j)
            MUST_HOLD(std::abs(dot(a.nth_row(i), a.nth_row(j)) - direct(i, j)) <=
                      1e-12 * std::sqrt(direct(i, i) * direct(j, j)));
}

TEST(feature_map, refuses_by_name) {
    expect_error(errc::unsupported, "rbf(gamma=0.5) has no explicit feature map",
                 [] { feature_map(kernel(linear{}) * kernel(gaussian{0.5}), 2); });
    expect_error(errc::unsupported, "exp(linear())", [] { feature_map(exp(kernel(linear{})), 2); });
    expect_error(errc::unsupported, "sigmoid", [] { feature_map(sigmoid{}, 2); });
    expect_error(errc::unsupported, "linear()^0.5", [] { feature_map(pow(kernel(linear{}), 0.5), 2); });
    expect_error(errc::unsupported, "expected a kernel on vectors, got spectrum(k=3) on strings",
                 [] { feature_map(spectrum{3}, 2); });
    expect_error(errc::memory, "size <= 1000000, got 1048576", [] { feature_map(all_subsets{}, 20); });
    expect_error(errc::memory, "got 167668501", [] { feature_map(polynomial{3, 1, 1}, 1000); });
    expect_error(errc::memory, "size <= 10, got 11", [] { feature_map(linear{}, 11, 10); });
    expect_error(errc::memory, "size <= 40", [] { feature_map(pow(kernel(linear{}), 9), 3, 40); });
    expect_error(errc::invalid_argument, "the map is for vectors of 2 features, but the data have 3",
                 [] { feature_map(linear{}, 2).apply(random_vectors(1, 3, 1)); });
    expect_error(errc::unsupported, "strings", [] { feature_map(linear{}, 2).apply(strings({"a"})); });
    expect_error(errc::invalid_argument, "0 <= column < 2, got 2",
                 [] { feature_map(columns(kernel(linear{}), {2}), 2); });
}

TEST(feature_map, large_powers_are_refused_before_they_are_written_out) {
    const kernel lin = linear{};
    for (const kernel& k :
         {pow(lin, 99'999), pow(pow(lin, 99), 99), pow(pow(pow(lin, 99), 99), 99), kernel(polynomial{1000, 1, 1}),
          pow(kernel(polynomial{50, 1, 1}), 500), pow(2.0 * lin, 1e6)})
        expect_error(errc::memory, "too many steps", [&] { feature_map(k, 2, 1'000'000, 1e6); });
    EXPECT_EQ(feature_map(pow(lin, 99), 2).size(), 100);
    EXPECT_EQ(feature_map(pow(pow(lin, 9), 9), 2).size(), 82);
    EXPECT_EQ(feature_map(pow(lin + 1, 50), 1).size(), 51);
    // As many coordinates as features: enumeration needs no deeper recursion.
    EXPECT_EQ(feature_map(lin, 200'000).name(199'999), "x200000");
}

TEST(feature_map, negative_weights_decide) {
    // A difference may still be a kernel: (1 + x'z)² - 1 has only features with positive weight.
    const kernel difference = kernel(polynomial{2, 1, 1}) - kernel(constant{1});
    EXPECT_EQ(feature_map(difference, 1).names(), (names{"sqrt2*x1", "x1^2"}));
    EXPECT_FALSE(difference.proof().valid);
    expect_error(errc::not_psd, "gives the feature x1 the weight -1", [] {
        feature_map(kernel(polynomial{2, 1, 1}) - 3.0 * kernel(linear{}), 2);
    });
}

TEST(feature_map, edge_cases) {
    EXPECT_EQ(feature_map(linear{}, 0).size(), 0);
    EXPECT_EQ(feature_map(polynomial{2, 1, 3}, 0).names(), names{"3"});
    const dense<double> none = feature_map(polynomial{2, 1, 1}, 2).apply(random_vectors(0, 2, 1));
    EXPECT_EQ(none.size(), 0);
    EXPECT_EQ(none.dims(), 6);
    // Sparse data are accepted.
    const sparse<double> x({0, 1, 2}, std::vector<std::int32_t>{1, 0}, std::vector<double>{2, 3}, 2);
    const dense<double> image = feature_map(polynomial{2, 1, 0}, 2).apply(x);
    EXPECT_EQ(image.row(0)[2], 4);
    EXPECT_EQ(image.row(1)[0], 9);
}

TEST(truncated_gaussian_map, error_stays_within_its_bound) {
    for (const double gamma : {0.25, 1.0, 4.0})
        for (const double radius : {0.1, 1.0, 3.0}) {
            std::vector<double> points;
            for (int i = -20; i <= 20; ++i) points.push_back(radius * i / 20);
            matrix<double> column(static_cast<index>(points.size()), 1);
            std::copy(points.begin(), points.end(), column.data());
            const dataset x = dense<double>(column);
            double before = 2;
            for (const index terms : {1, 3, 10, 30, 100, 200}) {
                const truncated_gaussian_map map(gamma, terms);
                const real_matrix a(map.apply(x).view());
                double worst = 0;
                for (index i = 0; i < a.rows(); ++i)
                    for (index j = 0; j < a.rows(); ++j) {
                        const double gap = points[static_cast<std::size_t>(i)] - points[static_cast<std::size_t>(j)];
                        worst =
                            std::max(worst, std::abs(dot(a.nth_row(i), a.nth_row(j)) - std::exp(-gamma * gap * gap)));
                    }
                const double bound = map.error_bound(radius);
                EXPECT_LE(worst, bound + 1e-13) << gamma << " " << radius << " " << terms;
                EXPECT_LE(bound, before);
                // The bound is attained at x = z = radius, so it is no exaggeration.
                if (bound > 1e-10 && 2 * gamma * radius * radius < static_cast<double>(terms)) {
                    EXPECT_GE(worst, 0.99 * bound) << gamma << " " << radius << " " << terms;
                }
                before = bound;
            }
        }
}

TEST(truncated_gaussian_map, takes_as_few_terms_as_needed) {
    for (const double tolerance : {1e-2, 1e-6, 1e-12}) {
        const auto map = truncated_gaussian_map::within(1, 2, tolerance);
        EXPECT_LE(map.error_bound(2), tolerance);
        EXPECT_GT(truncated_gaussian_map(1, map.size() - 1).error_bound(2), tolerance);
    }
    EXPECT_EQ(truncated_gaussian_map::within(1, 0, 1e-9).size(), 1);
    // e^(-γx²) alone underflows at x = 30, the map does not.
    const auto far = truncated_gaussian_map::within(1, 30, 1e-9);
    matrix<double> one(1, 1);
    one(0, 0) = 30;
    const dense<double> image = far.apply(dense<double>(one));
    double sum = 0;
    for (index t = 0; t < far.size(); ++t) sum += image.row(0)[t] * image.row(0)[t];
    EXPECT_NEAR(sum, 1, 1e-8);
    expect_error(errc::invalid_argument, "gamma > 0, got 0", [] { truncated_gaussian_map(0, 3); });
    expect_error(errc::invalid_argument, "truncated_gaussian_map: the data must be vectors of 1 feature, got",
                 [] { truncated_gaussian_map(1, 3).apply(random_vectors(1, 2, 1)); });
}

}  // namespace
}  // namespace mercer::testing
