// Extreme parameters and data: huge, tiny, empty, and not representable.
#include <cfloat>
#include <cmath>
#include <limits>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/sets/set_kernels.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/matern.h"

namespace mercer::testing {
namespace {

template <class T>
dataset point_set(const std::vector<std::vector<T>>& rows) {
    matrix<T> all(static_cast<index>(rows.size()), rows.empty() ? 0 : static_cast<index>(rows[0].size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy(rows[i].begin(), rows[i].end(), all.row(static_cast<index>(i)));
    return dense<T>(std::move(all));
}

template <class T>
matrix<T> gram_of(const std::string& text, const dataset& x) {
    return block_of(evaluator<T>(kernel::parse(text), x));
}

// Extreme widths give 1 at distance 0, and 0 or 1 elsewhere.
template <class T>
void expect_extreme_widths() {
    const dataset x = point_set<T>({{0, 0}, {1, 2}, {T(0.5), -1}, {1, 2}});
    const auto check = [&](const std::string& text, T elsewhere) {
        const matrix<T> k = gram_of<T>(text, x);
        for (index i = 0; i < 4; ++i)
            for (index j = 0; j < 4; ++j) {
                const bool equal = i == j || (i % 2 == 1 && j % 2 == 1);  // points 1 and 3 are the same
                ASSERT_EQ(k(i, j), equal ? T(1) : elsewhere) << text << " (" << i << ", " << j << ")";
            }
    };
    for (const char* narrow : {"rbf(1e300)", "rbf(1e38)", "laplacian(1e300)", "rbf(sigma=1e-150)",
                               "matern(0.5, 1e-300)", "matern(1.5, 1e-300)", "matern(2.5, 1e-300)",
                               "matern(1.5, 1e-30)", "matern(2.5, 1e-30)", "periodic(1e-200, 7)"})
        check(narrow, 0);
    for (const char* broad : {"rbf(1e-300)", "laplacian(1e-300)", "rbf(sigma=1e150)", "matern(0.5, 1e300)",
                              "matern(1.5, 1e300)", "matern(2.5, 1e300)", "rational_quadratic(1, 1e300)",
                              "periodic(1e200, 7)", "rational_quadratic(1e-300, 1)", "anisotropic([1e300, 1e300])"})
        check(broad, 1);
    const matrix<T> k = gram_of<T>("rational_quadratic(2, 1e-200)", x);
    EXPECT_EQ(k(1, 1), 1);
    EXPECT_EQ(k(1, 3), 1);
    EXPECT_LT(k(0, 1), 1e-30);
}

TEST(extremes, widths_in_double) {
    expect_extreme_widths<double>();
    EXPECT_EQ(gram_of<double>("anisotropic([1e-300, 1e-300])", point_set<double>({{0, 0}, {1, 2}}))(0, 1), 0);
}
TEST(extremes, widths_in_float) { expect_extreme_widths<float>(); }

// (1 + t/2α)^(-α) tends to e^(-t/2): log(1 + small) must not lose its digits.
TEST(extremes, rational_quadratic_tends_to_the_gaussian) {
    generator random(1);
    const dataset x = vectors_of<double>(random_vectors(random, 20, {}), storage::dense);
    const matrix<double> limit = gram_of<double>("rbf(0.5)", x),
                         near = gram_of<double>("rational_quadratic(1e9, 1)", x);
    const matrix<float> limit_float = gram_of<float>("rbf(0.5)", x),
                        near_float = gram_of<float>("rational_quadratic(1e9, 1)", x);
    for (index i = 0; i < 400; ++i) {
        EXPECT_NEAR(near.data()[i], limit.data()[i], 1e-7);  // the difference is of order t²/8α
        EXPECT_NEAR(near_float.data()[i], limit_float.data()[i], 2e-6f);
    }
}

// exp over its whole range, through set kernels and others. Below the normal numbers the result is 0.
TEST(extremes, exponentials_reach_their_limits) {
    for (const double t : {-1e300, -1e5, -1500.0, -746.0, -745.0, -708.0, -104.5, -103.9, -88.0, -1.0, -1e-300, 0.0,
                           1e-10, 1.0, 88.0, 88.7, 700.0, 709.7}) {
        // exp(t·1·1) as exp of a scaled linear kernel; a negative factor is built though not proven.
        const kernel k = exp(t * kernel::parse("linear()"));
        const dataset one = point_set<double>({{1.0}});
        EXPECT_NEAR(pair_value(k, one, one), std::exp(t),
                    4e-16 * (1 + std::abs(t)) * std::exp(t) + (std::exp(t) < 2 * DBL_MIN ? 2 * DBL_MIN : 0))
            << t;
        float value = 0;
        const evaluator<float> e(k, point_set<float>({{1.0f}}), point_set<float>({{1.0f}}));
        const auto fill = [&] { e.block(row_set(0, 1), row_set(0, 1), matrix_view<float>(&value, 1, 1)); };
        if (t > 88.722) {
            expect_error(errc::data, "beyond the range of float", fill);
            continue;
        }
        fill();
        EXPECT_NEAR(value, std::exp(t),
                    2e-7 * (1 + std::abs(t)) * std::exp(t) + (std::exp(t) < 2 * FLT_MIN ? 2 * FLT_MIN : 0))
            << t;
        if (t < -88) {
            EXPECT_EQ(value, 0) << t;
        }
    }
    for (const double t : {710.0, 1000.0, 1420.0, 1500.0, 1e5, 1e300}) {
        const kernel k = exp(t * kernel::parse("linear()"));
        const dataset one = point_set<double>({{1.0}});
        expect_error(errc::data, "beyond the range of double", [&] { pair_value(k, one, one); });
        expect_error(errc::data, "normalize(", [&] { evaluator<double>(k, one); });
        EXPECT_EQ(pair_value(normalise(k), one, one), 1) << t;
    }
}

TEST(extremes, tanh_saturates) {
    for (const double t : {-1e300, -1e4, -20.0, -1.0, -1e-9, 0.0, 1e-3, 19.0, 800.0, 1e300}) {
        const dataset one = point_set<double>({{1.0}});
        const kernel k = kernel::parse("sigmoid(1, " + number_text(t) + ")");
        EXPECT_NEAR(pair_value(k, point_set<double>({{0.0}}), one), std::tanh(t), 1e-15) << t;
    }
}

TEST(extremes, large_offsets_keep_the_distances) {
    for (const double offset : {1e4, -3e4, 1e6}) {
        generator random(4);
        const kernel_case rbf = kernel_cases_of("rbf")[0];
        // Coordinates are numbers of float after the offset, so the reference sees the same points.
        const objects x = random_vectors(random, 50, {.offset = offset}),
                      z = random_vectors(random, 33, {.offset = offset});
        for (const char* text :
             {"rbf(1)", "rbf(0.1)", "matern(1.5, 2)", "matern(2.5, 2)", "rational_quadratic(1, 1)"}) {
            const matrix<float> k = block_of(evaluator<float>(kernel::parse(text), vectors_of<float>(x, storage::dense),
                                                              vectors_of<float>(z, storage::dense)));
            const matrix<double> exact = block_of(evaluator<double>(
                kernel::parse(text), vectors_of<double>(x, storage::dense), vectors_of<double>(z, storage::dense)));
            for (index i = 0; i < 50; ++i)
                for (index j = 0; j < 33; ++j) {
                    ASSERT_NEAR(k(i, j), exact(i, j), 2e-5) << text << " at " << offset;
                    long double distance = 0;
                    for (std::size_t a = 0; a < 5; ++a)
                        distance += std::pow(static_cast<long double>(x[i].vector[a]) - z[j].vector[a], 2);
                    if (std::string(text) == "rbf(1)") {
                        ASSERT_NEAR(exact(i, j), static_cast<double>(std::exp(-distance)),
                                    1e-13 * (1 + std::abs(offset) / 1e4));
                    }
                }
        }
    }
}

TEST(extremes, data_beyond_the_range_are_refused_where_distances_are_needed) {
    const dataset huge = point_set<float>({{1e30f, 0}, {0, 1e30f}, {1, 1}});
    for (const char* text : {"rbf()", "matern()", "rational_quadratic()", "rbf() + linear()"}) {
        expect_error(errc::data, "row 0: its squared norm is beyond the range of float",
                     [&] { evaluator<float>(kernel::parse(text), huge); });
        EXPECT_EQ(gram_of<double>(text, huge)(2, 2), text == std::string("rbf() + linear()") ? 3 : 1)
            << "double reaches farther";
    }
    EXPECT_EQ(gram_of<double>("rbf()", huge)(0, 1), 0);
    EXPECT_EQ(gram_of<float>("laplacian()", huge)(0, 1), 0);
    EXPECT_EQ(gram_of<float>("laplacian()", huge)(0, 0), 1);
    EXPECT_EQ(gram_of<float>("linear()", huge)(0, 0), std::numeric_limits<float>::infinity())
        << "a dot product that overflows says so";
    expect_error(errc::data, "row 0: its squared norm is beyond the range of double",
                 [] { evaluator<double>(kernel::parse("rbf()"), point_set<double>({{1e200}})); });
    for (const char* text : {"cosine()", "normalize(linear())"}) {
        expect_error(errc::data, "k(x, x) of object 0 is too large for float",
                     [&] { evaluator<float>(kernel::parse(text), huge); });
        expect_error(errc::data, "k(x, x) of object 1 is too small for float", [&] {
            evaluator<float>(kernel::parse(text), point_set<float>({{1, 1}, {1e-20f, 0}}));
        });
        EXPECT_NEAR(gram_of<double>(text, huge)(0, 2), std::sqrt(0.5), 1e-15);
        EXPECT_NEAR(gram_of<double>(text, point_set<float>({{1, 1}, {1e-20f, 0}}))(0, 1), std::sqrt(0.5), 1e-15);
    }
}

TEST(extremes, values_that_are_not_numbers_do_not_pass_for_numbers) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {nan, infinity}) {
        const dataset x = point_set<double>({{1, 2}, {3, bad}});
        for (const char* text : {"rbf()", "matern()", "rational_quadratic()"}) {
            expect_error(errc::data, "row 1, column 1", [&] { evaluator<double>(kernel::parse(text), x); });
            expect_error(errc::data, "row 1, column 1", [&] {
                evaluator<float>(kernel::parse(text), point_set<double>({{1, 2}}), x);
            });
        }
    }
    const dataset x = point_set<double>({{1, 2}, {3, nan}});
    for (const char* text : {"linear()", "poly()", "laplacian()", "sigmoid()", "cosine()", "all_subsets()"}) {
        EXPECT_TRUE(std::isnan(gram_of<double>(text, x)(0, 1))) << text;
        EXPECT_TRUE(std::isnan(gram_of<float>(text, x)(0, 1))) << text;
        EXPECT_FALSE(std::isnan(gram_of<double>(text, x)(0, 0))) << text;
    }
}

TEST(extremes, negative_coordinates_are_refused_by_name) {
    const dataset x = point_set<double>({{1, 2}, {3, -0.5}});
    expect_error(errc::data, "chi2: features must satisfy 0 <= x, got -0.5 at row 1, column 1",
                 [&] { evaluator<double>(kernel::parse("chi2()"), x); });
    expect_error(errc::data, "intersection: features must satisfy 0 <= x, got -0.5 at row 1, column 1", [&] {
        evaluator<double>(kernel::parse("intersection()"), point_set<double>({{1, 1}}), x);
    });
    expect_error(errc::data, "got -0.5 at row 1, column 1", [&] {
        evaluator<double>(kernel::parse("chi2()"),
                          vectors_of<double>({{{1, 0}, "", {}}, {{0, -0.5}, "", {}}}, storage::sparse));
    });
    EXPECT_EQ(gram_of<double>("chi2()", point_set<double>({{0, 0}, {0, 0}}))(0, 1), 1) << "0/0 = 0";
}

// Every kernel on vectors accepts empty data sets.
TEST(extremes, no_rows_and_no_columns) {
    for (const char* text : {"linear()", "rbf()", "poly()", "laplacian()", "chi2()", "intersection()", "all_subsets()",
                             "cosine()", "normalize(rbf())", "exp(linear())", "constant(2)", "periodic()",
                             "columns(rbf(), [])", "conjugate(norm, linear())", "rbf()*linear() + 1"}) {
        const kernel k = kernel::parse(text);
        for (const storage how : {storage::dense, storage::sparse}) {
            const objects none, some{{{1, 2}, "", {}}}, flat{{{}, "", {}}, {{}, "", {}}};
            const evaluator<double> nothing(k, vectors_of<double>(none, how));
            EXPECT_EQ(nothing.rows(), 0);
            nothing.fill({});
            nothing.diagonal({});
            nothing.block(row_set(0, 0), row_set(0, 0), matrix_view<double>());
            const evaluator<float> half(k, vectors_of<float>(some, how), vectors_of<float>(none, how), 1 << 20),
                other(k, vectors_of<float>(none, how), vectors_of<float>(some, how));
            EXPECT_EQ(half.rows() + half.cols(), 1);
            half.block(row_set(0, 1), row_set(0, 0), matrix_view<float>());
            other.block(row_set(0, 0), row_set(0, 1), matrix_view<float>());
            // Vectors without coordinates: all are the zero vector.
            const matrix<double> k0 = block_of(evaluator<double>(k, vectors_of<double>(flat, how), 1 << 20));
            const matrix<double> want = block_of(evaluator<double>(k, point_set<double>({{0.0}, {0.0}})));
            EXPECT_TRUE(same_bits(k0, want)) << text;
        }
    }
}

TEST(extremes, one_row) {
    const dataset one = point_set<double>({{3, 4}});
    EXPECT_EQ(gram_of<double>("linear()", one)(0, 0), 25);
    EXPECT_EQ(gram_of<double>("rbf()", one)(0, 0), 1);
    EXPECT_FLOAT_EQ(gram_of<float>("cosine()", one)(0, 0), 1);
    EXPECT_EQ(gram_of<double>("cosine()", point_set<double>({{0, 0}}))(0, 0), 0)
        << "a zero vector has similarity 0, itself included";
    EXPECT_EQ(kernel_diagonal(kernel::parse("linear()"), one), std::vector<double>{25});
}

TEST(extremes, empty_strings_and_short_ones) {
    const dataset x = strings({"", "a", "ab", "abab", "bbbb"});
    const matrix<double> two = gram_of<double>("spectrum(2)", x), nine = gram_of<double>("spectrum(9)", x),
                         one = gram_of<double>("normalize(spectrum(1))", x);
    const double want[5][5] = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 1, 2, 0}, {0, 0, 2, 5, 0}, {0, 0, 0, 0, 9}};
    for (index i = 0; i < 5; ++i)
        for (index j = 0; j < 5; ++j) {
            EXPECT_EQ(two(i, j), want[i][j]);
            EXPECT_EQ(nine(i, j), 0);
        }
    EXPECT_EQ(one(0, 0), 0) << "an empty string has no feature";
    EXPECT_EQ(one(4, 4), 1);
    EXPECT_EQ(gram_of<double>("spectrum(1)", strings({std::string("\0\xff\0", 3), std::string("\0", 1)}))(0, 1), 2)
        << "bytes, not letters";
    EXPECT_EQ(gram_of<double>("spectrum()", strings()).rows(), 0);
    // Words that occur on one side only.
    EXPECT_EQ(
        block_of(evaluator<double>(kernel::parse("spectrum(1)"), strings({"ab"}), strings({"xyzab", "", "bbb"})))(0, 2),
        3);
}

TEST(extremes, empty_sets) {
    const dataset x = sets({{}, {1}, {1, 2, 3}, {}});
    EXPECT_EQ(gram_of<double>("jaccard()", x)(0, 3), 1);
    EXPECT_EQ(gram_of<double>("jaccard()", x)(0, 1), 0);
    EXPECT_EQ(gram_of<float>("jaccard()", x)(1, 2), 1 / 3.0f);
    EXPECT_EQ(gram_of<double>("set_power()", x)(0, 2), 1);
    EXPECT_EQ(gram_of<double>("set_power()", x)(2, 2), 8);
    EXPECT_EQ(gram_of<double>("set_intersection()", x)(0, 0), 0);
    EXPECT_EQ(gram_of<double>("set_exp()", x)(0, 0), 1);
    EXPECT_EQ(gram_of<double>("normalize(set_power())", x)(0, 3), 1);
}

dataset nested_sets(const std::vector<index>& sizes) {
    std::vector<std::vector<std::int64_t>> all;
    for (const index size : sizes) {
        all.emplace_back();
        for (index i = 0; i < size; ++i) all.back().push_back(i);
    }
    return sets(std::move(all));
}

// The number of common subsets is exact as long as it is representable.
TEST(extremes, powers_of_two_are_exact) {
    std::vector<index> sizes;
    for (index n = 0; n <= 1023; n += 3) sizes.push_back(n);
    const matrix<double> k = gram_of<double>("set_power()", nested_sets(sizes));
    for (std::size_t i = 0; i < sizes.size(); ++i) ASSERT_EQ(k(i, i), std::ldexp(1.0, static_cast<int>(sizes[i])));
    const matrix<float> f = gram_of<float>("set_power()", nested_sets({0, 1, 23, 24, 64, 100, 126, 127}));
    EXPECT_EQ(f(7, 7), std::ldexp(1.0f, 127));
    EXPECT_EQ(f(5, 6), std::ldexp(1.0f, 100));
}

TEST(extremes, sets_too_large_for_powers_are_refused_and_normalised_ones_are_right) {
    const std::vector<index> sizes{2000, 1990, 1200, 1024, 1023, 3, 0};
    const dataset x = nested_sets(sizes);
    for (const char* text : {"set_power()", "set_exp()", "2*set_power() + 1", "set_power()*set_exp()"})
        expect_error(errc::data, "k(x, x) of object 0 is beyond the range of double",
                     [&] { evaluator<double>(kernel::parse(text), x); });
    expect_error(errc::data, "normalize(set_power()) computes with logarithms",
                 [&] { evaluator<double>(kernel::parse("set_power()"), x); });
    expect_error(errc::data, "beyond the range of float",
                 [&] { evaluator<float>(kernel::parse("set_power()"), nested_sets({128})); });
    EXPECT_NO_THROW(evaluator<double>(kernel::parse("set_power()"), nested_sets({1023})));

    // Two data sets: only the requested values have to be representable.
    const evaluator<double> sides(kernel::parse("set_power()"), x, nested_sets({2000, 5}));
    double value = 0;
    sides.block(row_set(0, 1), row_set(1, 1), matrix_view<double>(&value, 1, 1));
    EXPECT_EQ(value, 32);
    expect_error(errc::data, "k(x, z) of objects 1 and 0 is beyond the range of double",
                 [&] { sides.block(row_set(1, 1), row_set(0, 1), matrix_view<double>(&value, 1, 1)); });
    sides.block(row_set(0, 1), row_set(1, 1), matrix_view<double>(&value, 1, 1));
    EXPECT_EQ(value, 32) << "an error leaves nothing behind";

    const matrix<double> power = gram_of<double>("normalize(set_power())", x),
                         e = gram_of<double>("normalize(3*set_exp())", x);
    const matrix<float> single = gram_of<float>("normalize(set_power())", x);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        for (std::size_t j = 0; j < sizes.size(); ++j) {
            // A ⊂ B: |A∩B| - |A|/2 - |B|/2 = -||A| - |B||/2
            const auto apart = static_cast<double>(std::abs(sizes[i] - sizes[j]));
            EXPECT_NEAR(power(i, j), std::exp2(-apart / 2), 1e-12 * std::exp2(-apart / 2));
            EXPECT_NEAR(e(i, j), std::exp(-apart / 2), 1e-12 * std::exp(-apart / 2));
            EXPECT_NEAR(single(i, j), std::exp2(-apart / 2),
                        3.4e-4 * std::exp2(-apart / 2) + 1.5e-45);  // 4u·log 2^2000
        }
}

TEST(extremes, normalising_a_negative_diagonal_is_refused) {
    const dataset x = point_set<double>({{1, 1}, {3, 0}});
    expect_error(errc::data, "normalize: k(x, x) must satisfy 0 <= k(x, x), got -3 for object 0",
                 [&] { evaluator<double>(kernel::parse("normalize(linear() - 5)"), x); });
}

TEST(extremes, large_powers_and_degrees) {
    const dataset x = point_set<double>({{1.0009765625}, {0.5}, {0.0}});
    const double v = 1.0009765625 * 1.0009765625;
    EXPECT_NEAR(gram_of<double>("linear()^1000", x)(0, 0), std::pow(v, 1000), 1e-12 * std::pow(v, 1000));
    EXPECT_NEAR(gram_of<double>("linear()^5000", x)(0, 0), std::pow(v, 5000), 1e-12 * std::pow(v, 5000));
    EXPECT_NEAR(gram_of<double>("poly(degree=1000)", x)(0, 0), std::pow(v, 1000), 1e-12 * std::pow(v, 1000));
    EXPECT_EQ(gram_of<double>("poly(degree=1000000000)", x)(1, 1), 0);
    EXPECT_EQ(gram_of<double>("linear()^1e300", x)(1, 1), 0);
    EXPECT_EQ(gram_of<double>("linear()^0", x)(2, 2), 1) << "0⁰ = 1";
    EXPECT_EQ(gram_of<double>("linear()^-1", x)(2, 2), std::numeric_limits<double>::infinity());
    EXPECT_NEAR(gram_of<float>("linear()^0.5", x)(0, 1), std::sqrt(1.0009765625f / 2), 1e-7f);
}

TEST(extremes, kernels_of_the_wrong_objects_are_refused) {
    expect_error(errc::unsupported, "rbf(gamma=1) is a kernel on vectors, but the data are strings",
                 [] { evaluator<double>(kernel::parse("rbf()"), strings({"a"})); });
    expect_error(errc::unsupported, "the data are sets", [] {
        evaluator<double>(kernel::parse("spectrum()"), strings({"a"}), sets({{1, 2}, {3}}));
    });
    EXPECT_EQ(gram_of<double>("constant(2)", strings({"a", "b"}))(0, 1), 2) << "a constant looks at nothing";
    // A feature map that returns the wrong number of features.
    const kernel odd =
        pull_back("identity", {"identity", [](const dataset& x, const dataset*) { return std::pair(x, x); }},
                  kernel::parse("spectrum()"));
    expect_error(errc::unsupported, "expected strings, got vectors",
                 [&] { evaluator<double>(odd, point_set<double>({{1}})); });
    expect_error(errc::invalid_argument, "columns must satisfy 0 <= column < 2, got 2", [] {
        evaluator<double>(kernel::parse("columns(rbf(), [0, 2])"), point_set<double>({{1, 2}}));
    });
    expect_error(errc::invalid_argument, "for vectors of 3 features, but the data have 2", [] {
        evaluator<double>(kernel::parse("anisotropic([1, 2, 3])"), point_set<double>({{1, 2}}));
    });
    expect_error(errc::invalid_argument, "x has 2 features, but z has 1", [] {
        evaluator<double>(kernel::parse("rbf()"), point_set<double>({{1, 2}}), point_set<double>({{1}}));
    });
    expect_error(errc::invalid_argument, "the diagonal k(x, x) needs the same data set on both sides", [] {
        std::vector<double> out(1);
        evaluator<double>(kernel::parse("rbf()"), point_set<double>({{1}}), point_set<double>({{1}})).diagonal(out);
    });
}

}  // namespace
}  // namespace mercer::testing
