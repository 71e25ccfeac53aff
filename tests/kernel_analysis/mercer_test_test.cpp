#include "mercer/kernel_analysis/mercer_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contracts/property.h"
#include "kernel_analysis/random_matrices.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/sigmoid.h"

namespace mercer::testing {
namespace {

// Σ cᵢcⱼKᵢⱼ in long double, computed from the matrix.
long double form(const real_matrix& k, const mercer_witness& w) {
    long double sum = 0;
    for (std::size_t i = 0; i < w.points.size(); ++i)
        for (std::size_t j = 0; j < w.points.size(); ++j)
            sum += static_cast<long double>(w.coefficients[i]) * w.coefficients[j] *
                   static_cast<long double>(k(w.points[i], w.points[j]));
    return sum;
}

void expect_indefinite(const real_matrix& k, const mercer_result& found) {
    ASSERT_EQ(found.verdict, mercer_verdict::indefinite) << found.text();
    ASSERT_TRUE(found.witness);
    EXPECT_TRUE(found.witness->is_proof());
    const long double exact = form(k, *found.witness);
    EXPECT_LT(exact, 0);
    EXPECT_LE(std::abs(static_cast<double>(exact - found.witness->value)), found.witness->error_bound);
}

PROPERTY(mercer_test, certifies_low_rank_matrices) {
    const auto seed = arbitrary::any<std::uint64_t>();
    std::mt19937_64 random(seed);
    const index n = arbitrary::integer<index>(1, 60), rank = arbitrary::integer<index>(1, 10);
    const real_matrix k = random_psd(n, rank, random);
    const mercer_result found = mercer_test(as_gram(k));
    MUST_HOLD(found.verdict == mercer_verdict::certified);
    MUST_HOLD(found.tolerance <= 1e-10 * k.trace());
}

PROPERTY(mercer_test, finds_planted_negative_eigenvalues) {
    const auto seed = arbitrary::any<std::uint64_t>();
    std::mt19937_64 random(seed);
    const index n = arbitrary::integer<index>(1, 60);
    std::vector<double> values(static_cast<std::size_t>(n));
    const real_matrix drawn = random_matrix(n, 1, random);
    for (index i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = std::abs(drawn(i, 0));
    const double planted = -std::pow(10.0, -arbitrary::integer(0, 9));
    values[0] = planted;
    const real_matrix k = with_eigenvalues(values, random);
    const mercer_result found = mercer_test(as_gram(k));
    MUST_HOLD(found.verdict == mercer_verdict::indefinite);
    MUST_HOLD(std::abs(*found.smallest - planted) <= 1e-12 * (1 + *std::max_element(values.begin(), values.end())));
    MUST_HOLD(form(k, *found.witness) < 0);
    MUST_HOLD(found.witness->is_proof());
}

TEST(mercer_test, never_certifies_below_the_stated_tolerance) {
    // The eigenvalue crosses -δ; on either side the verdict must be correct.
    std::mt19937_64 random(5);
    for (const double size : {1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15}) {
        std::vector<double> values(40, 1.0);
        values[0] = -size;
        const mercer_result found = mercer_test(as_gram(with_eigenvalues(values, random)));
        // The matrix was rounded by about 40·ε.
        if (found.verdict == mercer_verdict::certified) {
            EXPECT_GE(-size, -found.tolerance - 1e-14) << found.text();
        }
        if (found.verdict == mercer_verdict::indefinite) {
            EXPECT_LT(-size, -found.tolerance + 1e-14) << found.text();
        }
        if (size > 2 * found.tolerance) {
            EXPECT_EQ(found.verdict, mercer_verdict::indefinite);
        }
        if (size < 0.1 * found.tolerance) {
            EXPECT_EQ(found.verdict, mercer_verdict::certified);
        }
    }
}

TEST(mercer_test, prunes_to_the_points_that_matter) {
    std::mt19937_64 random(6);
    // A large positive definite matrix with one bad triple: all pairs are positive definite, the three together are
    // not.
    const index n = 200;
    real_matrix k = real_matrix::identity(n) + 0.01 * random_psd(n, 3, random) / static_cast<double>(n);
    for (const auto& [i, j] : {std::pair<index, index>{17, 90}, {90, 151}, {17, 151}})
        k(i, j) = k(j, i) = -0.7;  // eigenvalue 1 - 1.4
    const mercer_result found = mercer_test(as_gram(k));
    expect_indefinite(k, found);
    EXPECT_EQ(found.witness->points, (std::vector<index>{17, 90, 151}));

    k(17, 90) = k(90, 17) = 1.5;  // now a pair
    const mercer_result pair = mercer_test(as_gram(k));
    expect_indefinite(k, pair);
    EXPECT_EQ(pair.witness->points, (std::vector<index>{17, 90}));

    k(33, 33) = -0.1;  // now one point
    const mercer_result one = mercer_test(as_gram(k));
    expect_indefinite(k, one);
    EXPECT_EQ(one.witness->points, (std::vector<index>{33}));
    EXPECT_EQ(one.witness->coefficients, (std::vector<double>{1}));
    EXPECT_EQ(one.witness->value, -0.1);
}

TEST(mercer_test, no_point_of_a_witness_is_spare) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 5; ++round) {
        std::vector<double> values = evenly(50, 0.5, 2);
        values[0] = -0.3;
        const real_matrix k = with_eigenvalues(values, random);
        const mercer_result found = mercer_test(as_gram(k));
        expect_indefinite(k, found);
        const auto& at = found.witness->points;
        EXPECT_LT(at.size(), 50U);
        for (std::size_t out = 0; out < at.size(); ++out) {
            std::vector<index> rest = at;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(out));
            const auto size = static_cast<index>(rest.size());
            real_matrix part(size, size);
            for (index i = 0; i < size; ++i)
                for (index j = 0; j < size; ++j)
                    part(i, j) = k(rest[static_cast<std::size_t>(i)], rest[static_cast<std::size_t>(j)]);
            EXPECT_GE(eigenvalues_of(part)[0], -found.tolerance * 1.01);
        }
    }
}

TEST(mercer_test, sigmoid_is_refused_and_gaussian_certified) {
    const dataset x = random_vectors(80, 4, 8);
    const mercer_result bad = mercer_test(sigmoid{1, -1}, x);
    matrix<double> k(80, 80);
    evaluator<double>(sigmoid{1, -1}, x).fill(k.view());
    expect_indefinite(k, bad);
    EXPECT_NE(bad.text().find("witness"), std::string::npos);

    const mercer_result good = mercer_test(gaussian{0.3}, x, {.eigenvalues = true});
    EXPECT_EQ(good.verdict, mercer_verdict::certified);
    EXPECT_GT(*good.largest, 1);
    EXPECT_FALSE(good.witness);
    EXPECT_EQ(mercer_test(gaussian{1e-6}, x).verdict, mercer_verdict::certified) << "numerically of rank one";
}

TEST(mercer_test, asymmetry_is_a_finding_of_its_own) {
    const dataset x = random_vectors(10, 2, 9);
    const kernel k =
        from_function("skew", [](std::span<const double> a, std::span<const double> b) { return a[0] * b[1]; });
    const mercer_result found = mercer_test(k, x);
    ASSERT_EQ(found.verdict, mercer_verdict::asymmetric);
    double worst = 0;
    const auto rows = as_dense<double>(x);
    for (index i = 0; i < 10; ++i)
        for (index j = 0; j < 10; ++j)
            worst = std::max(worst, std::abs(rows.row(i)[0] * rows.row(j)[1] - rows.row(j)[0] * rows.row(i)[1]));
    EXPECT_DOUBLE_EQ(found.worst_pair.size, worst);
    EXPECT_NE(found.worst_pair.row, found.worst_pair.col);
    EXPECT_NE(found.text().find("differ"), std::string::npos);

    real_matrix close = real_matrix::identity(2);
    close(0, 1) = 1e-14;
    EXPECT_EQ(mercer_test(as_gram(close)).verdict, mercer_verdict::certified) << "rounding is not asymmetry";
    close(0, 1) = 1e-10;
    EXPECT_EQ(mercer_test(as_gram(close)).verdict, mercer_verdict::asymmetric);
    EXPECT_EQ(mercer_test(as_gram(close), {.symmetry = 1e-9}).verdict, mercer_verdict::certified);
}

// n pairs of points at a distance `hair`, far from the origin.
dense<double> near_duplicates(index n, double offset, double hair, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const real_matrix base = random_matrix(n, 3, random), nudge = random_matrix(n, 3, random);
    matrix<double> all(2 * n, 3);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < 3; ++j) {
            all(i, j) = base(i, j) + offset;
            all(n + i, j) = base(i, j) + hair * nudge(i, j) + offset;
        }
    return dense<double>(std::move(all));
}

// Kernels that are positive semidefinite, including the zero kernel, although their values are differences of nearly
// equal numbers.
TEST(mercer_test, cancellation_is_not_mistaken_for_a_finding) {
    const char* kernels[] = {"rbf(gamma=0.3)*rbf(gamma=0.7) - 0.9999999999999*rbf(gamma=1)",
                             "rbf(gamma=0.3)*rbf(gamma=0.7) - rbf(gamma=1)",
                             "rbf(gamma=0.5) - rbf(gamma=0.5)",
                             "linear()^2 - poly(degree=2)",
                             "linear()^3 - 0.99999999999999*poly(degree=3)",
                             "0.1*linear() + 0.2*linear() - 0.3*linear()",
                             "normalize(poly(degree=2, coef0=1)) - 0.999999999999*normalize(poly(degree=2, coef0=1))",
                             "exp(linear()) - 0.9999999999999*exp(linear())",
                             "laplacian(gamma=0.1)*laplacian(gamma=0.2) - laplacian(gamma=0.3)",
                             "rational_quadratic(alpha=0.3)*rational_quadratic(alpha=0.3) - "
                             "0.9999999999999*rational_quadratic(alpha=0.3)^2"};
    for (const char* text : kernels)
        for (const std::uint64_t seed : {21, 22, 23}) {
            const mercer_result found = mercer_test(kernel::parse(text), random_vectors(50, 3, seed));
            EXPECT_TRUE(found.verdict == mercer_verdict::undecided || found.verdict == mercer_verdict::certified)
                << text << ": " << found.text();
        }
}

TEST(mercer_test, a_proof_is_not_contradicted_by_rounding) {
    const char* kernels[] = {
        "normalize(exp(linear()))", "rbf(gamma=1)",     "normalize(poly(degree=3, coef0=1))", "cosine()",
        "matern(nu=2.5)",           "exp(rbf(gamma=2))"};
    for (const char* text : kernels)
        for (const double offset : {0.0, 1e3, 1e6})
            for (const double hair : {1e-3, 1e-9}) {
                const mercer_result found = mercer_test(kernel::parse(text), near_duplicates(30, offset, hair, 24));
                EXPECT_TRUE(found.proven);
                EXPECT_TRUE(found.verdict == mercer_verdict::undecided || found.verdict == mercer_verdict::certified)
                    << text << " at " << offset << ": " << found.text();
                if (found.verdict == mercer_verdict::undecided) {
                    EXPECT_NE(found.text().find("by its form the kernel is one"), std::string::npos);
                }
            }
}

TEST(mercer_test, a_small_truth_is_still_found) {
    // -c·rbf with c from 1 down to 1e-11: the diagonal alone proves it.
    for (const char* factor : {"2", "1.001", "1.0000001", "1.00000000001"}) {
        const mercer_result found =
            mercer_test(kernel::parse(std::string("rbf(gamma=0.3)*rbf(gamma=0.7) - ") + factor + "*rbf(gamma=1)"),
                        random_vectors(40, 3, 25));
        ASSERT_EQ(found.verdict, mercer_verdict::indefinite) << factor << ": " << found.text();
        const double c = std::stod(factor) - 1;
        double squares = 0;
        for (const double each : found.witness->coefficients) squares += each * each;
        EXPECT_LT(found.witness->value, 0);
        EXPECT_GE(found.witness->value, -c * 40 * squares * 1.001) << "no eigenvalue of the true matrix is below -c·n";
    }
}

TEST(mercer_test, never_certifies_what_it_cannot_see) {
    // 0.1 + 0.2 - 0.30000000000000004 = -2.8e-17 with the numbers as stored: the matrix in double is zero, the kernel
    // is not.
    const mercer_result found =
        mercer_test(kernel::parse("0.1*rbf() + 0.2*rbf() - 0.30000000000000004*rbf()"), random_vectors(20, 2, 26));
    EXPECT_EQ(found.verdict, mercer_verdict::undecided) << found.text();
    ASSERT_TRUE(found.entry_error);
    EXPECT_GT(*found.entry_error, 2.7e-17);
    EXPECT_LT(*found.entry_error, 1e-14);
}

TEST(mercer_test, says_what_it_takes_as_exact) {
    const kernel k = from_function(
        "mine", [](std::span<const double> a, std::span<const double> b) { return a[0] * b[0] - 2 * a[1] * b[1]; });
    const mercer_result found = mercer_test(k, random_vectors(10, 2, 27));
    EXPECT_EQ(found.verdict, mercer_verdict::indefinite);
    EXPECT_EQ(found.assumed_exact, (std::vector<std::string>{"mine"}));
    EXPECT_NE(found.text().find("mine"), std::string::npos);
}

// Entries that are exactly 0 are known, even under a fractional power: the eigenvalues are those of a small matrix of
// roots.
TEST(mercer_test, broken_powers_of_zero_are_decided) {
    struct known {
        const char* kernel;
        std::vector<std::vector<double>> x;
        mercer_verdict verdict;
    };
    const std::vector<std::vector<double>> unit{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::vector<known> cases{{"linear()^0.5", unit, mercer_verdict::certified},
                                   {"linear()^1.5", unit, mercer_verdict::certified},
                                   {"chi2(gamma=1)^0.5", unit, mercer_verdict::certified},
                                   {"0*linear()^0.5", {{1, 2}, {2, 1}}, mercer_verdict::certified},
                                   {"(0*linear())^0.5", {{1, 2}, {2, 1}}, mercer_verdict::certified},
                                   // [[1, 0, 1], [0, 1, 1], [1, 1, √2]] has the determinant √2 - 2.
                                   {"linear()^0.5", {{1, 0}, {0, 1}, {1, 1}}, mercer_verdict::indefinite},
                                   // [[1, 0, 1], [0, 1, 1], [1, 1, 2√2]] has 2√2 - 2.
                                   {"linear()^1.5", {{1, 0}, {0, 1}, {1, 1}}, mercer_verdict::certified},
                                   {"intersection()^0.5", {{1, 0}, {0, 1}, {1, 1}}, mercer_verdict::indefinite}};
    for (const known& each : cases) {
        matrix<double> rows(static_cast<index>(each.x.size()), static_cast<index>(each.x[0].size()));
        for (index i = 0; i < rows.rows(); ++i) std::copy(each.x[i].begin(), each.x[i].end(), rows.row(i));
        const mercer_result found = mercer_test(kernel::parse(each.kernel), dense<double>(std::move(rows)));
        EXPECT_EQ(found.verdict, each.verdict) << each.kernel << ": " << found.text();
    }
}

TEST(mercer_test, a_sample_can_refute_but_not_certify) {
    std::mt19937_64 random(10);
    const real_matrix good = random_psd(100, 20, random);
    const mercer_result sampled = mercer_test(as_gram(good), {.max_n = 30});
    EXPECT_EQ(sampled.verdict, mercer_verdict::undecided);
    EXPECT_TRUE(sampled.sample_certified);
    EXPECT_EQ(sampled.tested, 30);
    EXPECT_EQ(sampled.n, 100);
    EXPECT_NE(sampled.text().find("30 of the 100"), std::string::npos);

    const real_matrix bad = with_eigenvalues(evenly(100, -1, 0.5), random);
    const mercer_result found = mercer_test(as_gram(bad), {.max_n = 30});
    expect_indefinite(bad, found);  // the points are rows of the original matrix
    EXPECT_EQ(found.tested, 30);
    const mercer_result again = mercer_test(as_gram(bad), {.max_n = 30});
    EXPECT_EQ(found.witness->points, again.witness->points);
}

TEST(mercer_test, edge_cases) {
    EXPECT_EQ(mercer_test(as_gram(real_matrix(0, 0))).verdict, mercer_verdict::certified);
    const mercer_result zero = mercer_test(as_gram(real_matrix(5, 5)), {.eigenvalues = true});
    EXPECT_EQ(zero.verdict, mercer_verdict::certified);
    EXPECT_EQ(zero.tolerance, 0);
    EXPECT_EQ(*zero.smallest, 0);
    EXPECT_EQ(mercer_test(as_gram(real_matrix::constant(1, 1, 2))).verdict, mercer_verdict::certified);
    EXPECT_EQ(mercer_test(as_gram(real_matrix::constant(1, 1, -2))).verdict, mercer_verdict::indefinite);
    EXPECT_EQ(mercer_test(as_gram(real_matrix::constant(6, 6, 1))).verdict, mercer_verdict::certified);

    // A zero diagonal: the tolerance is 0, and any nonzero entry is a proof.
    real_matrix hollow(3, 3);
    hollow(0, 2) = hollow(2, 0) = 1e-3;
    const mercer_result found = mercer_test(as_gram(hollow));
    expect_indefinite(hollow, found);
    EXPECT_EQ(found.witness->points, (std::vector<index>{0, 2}));
    EXPECT_DOUBLE_EQ(*found.smallest, -1e-3);
}

TEST(mercer_test, refuses_what_is_no_matrix_of_numbers) {
    real_matrix k = real_matrix::identity(3);
    k(2, 1) = std::nan("");
    expect_error(errc::data, "row 2, column 1", [&] { mercer_test(as_gram(k)); });
    k(2, 1) = std::numeric_limits<double>::infinity();
    expect_error(errc::data, "got inf", [&] { mercer_test(as_gram(k)); });
    expect_error(errc::invalid_argument, "2 × 3", [&] { mercer_test(as_gram(real_matrix(2, 3))); });
    expect_error(errc::invalid_argument, "max_n >= 1, got 0",
                 [&] { mercer_test(as_gram(real_matrix(2, 2)), {.max_n = 0}); });
}

TEST(mercer_test, scale_does_not_matter) {
    std::mt19937_64 random(11);
    const real_matrix good = random_psd(20, 4, random), bad = with_eigenvalues(evenly(20, -0.2, 1), random);
    for (const double scale : {1e-300, 1e-150, 1.0, 1e150, 1e300}) {
        EXPECT_EQ(mercer_test(as_gram(scale * good)).verdict, mercer_verdict::certified) << scale;
        const real_matrix scaled = scale * bad;
        const mercer_result found = mercer_test(as_gram(scaled));
        expect_indefinite(scaled, found);
        EXPECT_NEAR(*found.smallest / scale, -0.2, 1e-10);
    }
}

}  // namespace
}  // namespace mercer::testing
