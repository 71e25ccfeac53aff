// Fourier and shapelet features of series: their definitions, which the contract of kernels uses, and their
// invariances.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "kernels/value_of.h"
#include "mercer/kernels/features/explicit_features.h"
#include "mercer/kernels/series/shapelets.h"

namespace mercer::testing {
namespace {

using real = long double;
using settings = std::vector<kernel_case>;

std::vector<real> fourier_by_definition(const std::vector<double>& x, int terms, bool phases) {
    const auto n = static_cast<real>(x.size());
    std::vector<real> out;
    for (int j = 0; j <= terms; ++j) {
        std::complex<real> c = 0;
        for (std::size_t t = 0; t < x.size() && 2 * static_cast<std::size_t>(j) <= x.size(); ++t)
            c += static_cast<real>(x[t]) / n *
                 std::exp(std::complex<real>(0, -2 * std::numbers::pi_v<real> * j * static_cast<real>(t) / n));
        const real weight = 2 * j == static_cast<int>(x.size()) ? 1 : std::sqrt(real(2));
        if (j == 0)
            out.push_back(c.real());
        else if (phases)
            out.insert(out.end(), {weight * c.real(), weight * c.imag()});
        else
            out.push_back(weight * std::abs(c));
    }
    return out;
}

real correlation(const matrix<double>& shapes, index j, const std::vector<real>& window) {
    real mean = 0, square = 0, sum = 0;
    for (const real v : window) mean += v / static_cast<real>(window.size());
    for (std::size_t k = 0; k < window.size(); ++k) {
        square += (window[k] - mean) * (window[k] - mean);
        sum += (window[k] - mean) * shapes(j, static_cast<index>(k));
    }
    return std::ranges::all_of(window, [&](real v) { return v == window[0]; }) ? 0 : sum / std::sqrt(square);
}

std::vector<real> shapelets_by_definition(const std::vector<double>& x, const shapelets& of) {
    const matrix<double> shapes = of.shapes();
    std::vector<real> out;
    for (int j = 0; j < of.count; ++j) {
        const std::size_t gap = std::size_t{1} << (j % of.spread),
                          reach = static_cast<std::size_t>(of.length - 1) * gap;
        real best = -2;
        for (std::size_t t = 0; t + reach < x.size(); ++t) {
            std::vector<real> window;
            for (std::size_t k = 0; k < static_cast<std::size_t>(of.length); ++k) window.push_back(x[t + k * gap]);
            best = std::max(best, correlation(shapes, j, window));
        }
        out.push_back(best < -1.5L ? 0 : best);
    }
    return out;
}

// Products of features with an error of `ulps` roundings of numbers near 1.
approx product_of(const std::vector<real>& a, const std::vector<real>& b, real ulps) {
    approx sum;
    for (std::size_t f = 0; f < a.size(); ++f) {
        sum.value += a[f] * b[f];
        sum.error += ulps * (std::abs(a[f]) + std::abs(b[f])) + static_cast<real>(a.size()) * std::abs(a[f] * b[f]);
    }
    return sum;
}

const definition known_fourier("fourier", [] {
    settings made;
    for (const auto& [terms, phases] :
         std::vector<std::pair<int, bool>>{{1, false}, {3, false}, {16, false}, {2, true}})
        made.push_back({kernel::parse("fourier(" + std::to_string(terms) + ", " + (phases ? "1)" : "0)")),
                        [terms = terms, phases = phases](const object& x, const object& z) {
                            return product_of(fourier_by_definition(x.times.values, terms, phases),
                                              fourier_by_definition(z.times.values, terms, phases), 20);
                        }});
    return made;
});

const definition known_shapelets("shapelets", [] {
    settings made;
    for (const shapelets& of : {shapelets{5, 2, 1, 0}, shapelets{7, 3, 2, 4}, shapelets{20, 2, 3, 1}})
        made.push_back({kernel(of), [of](const object& x, const object& z) {
                            return product_of(shapelets_by_definition(x.times.values, of),
                                              shapelets_by_definition(z.times.values, of), 60);
                        }});
    return made;
});

one_series random_one(generator& random, index length, index dims = 1) {
    one_series made{{}, dims};
    for (index i = 0; i < length * dims; ++i) made.values.push_back(uniform(random, -2, 2));
    return made;
}
TEST(series_features, of_long_and_short_series_by_brute_force) {
    generator random(3);
    const shapelets of{30, 9, 3, 7};
    for (const index length : {1, 2, 8, 9, 16, 17, 33, 100, 257}) {
        const one_series x = random_one(random, length), z = random_one(random, 60);
        EXPECT_NEAR(
            value_of("fourier(20)", x, z),
            product_of(fourier_by_definition(x.values, 20, false), fourier_by_definition(z.values, 20, false), 0).value,
            1e-13)
            << length;
        EXPECT_NEAR(value_of("shapelets(30, 9, 3, 7)", x, z),
                    product_of(shapelets_by_definition(x.values, of), shapelets_by_definition(z.values, of), 0).value,
                    1e-12)
            << length;
    }
}

// Parseval: with all frequencies, k(x, x) is the mean of the squares.
TEST(series_features, all_frequencies_have_all_of_a_series) {
    generator random(4);
    for (const index length : {1, 2, 3, 10, 31, 32}) {
        const one_series x = random_one(random, length), z = random_one(random, length);
        double square = 0, product = 0;
        for (std::size_t t = 0; t < x.values.size(); ++t) {
            square += x.values[t] * x.values[t] / static_cast<double>(length);
            product += x.values[t] * z.values[t] / static_cast<double>(length);
        }
        EXPECT_NEAR(value_of("fourier(16)", x, x), square, 1e-14) << length;
        EXPECT_NEAR(value_of("fourier(16, 1)", x, x), square, 1e-14) << length;
        EXPECT_NEAR(value_of("fourier(16, 1)", x, z), product, 1e-14) << length;
    }
}

TEST(series_features, frequencies_do_not_see_turns_and_how_often_one_looked) {
    generator random(5);
    const one_series x = random_one(random, 24), z = random_one(random, 17);
    one_series turned = x;
    std::ranges::rotate(turned.values, turned.values.begin() + 7);
    EXPECT_NEAR(value_of("fourier(9)", x, z), value_of("fourier(9)", turned, z), 1e-14);
    const auto wave = [](index length) {
        one_series made;
        for (index t = 0; t < length; ++t)
            made.values.push_back(
                std::cos(6 * std::numbers::pi * static_cast<double>(t) / static_cast<double>(length) + 0.5));
        return made;
    };
    for (const char* k : {"fourier(4)", "fourier(4, 1)"})
        EXPECT_NEAR(value_of(k, wave(50), wave(211)), 0.5, 1e-14) << k;
    EXPECT_NEAR(value_of("fourier(2)", wave(50), wave(50)), 0, 1e-14) << "three periods are frequency 3";
}

TEST(series_features, shapes_do_not_see_size_and_offset) {
    generator random(6);
    const one_series x = random_one(random, 40), z = random_one(random, 31);
    const double want = value_of("shapelets(50, 5, 2)", x, z);
    for (const auto& [factor, offset] :
         std::vector<std::pair<double, double>>{{3, 0}, {0.125, 10}, {1e-200, 0}, {1e300, 0}}) {
        one_series other = x;
        for (double& v : other.values) v = factor * v + offset;
        EXPECT_NEAR(value_of("shapelets(50, 5, 2)", other, z), want, 1e-11) << factor;
    }
    one_series longer = x;
    longer.values.insert(longer.values.end(), z.values.begin(), z.values.end());
    const dataset both = series({x, longer});
    const object_features phi(kernel::parse("shapelets(50, 5, 2)"), both);
    const auto at = [&](index i, index f) {
        for (std::size_t e = 0; e < phi.x().cols(i).size(); ++e)
            if (phi.x().cols(i)[e] == f) return phi.x().values(i)[e];
        return 0.0;
    };
    for (index f = 0; f < phi.size(); ++f) EXPECT_GE(at(1, f), at(0, f) - 1e-12) << "more windows";
}

TEST(series_features, shapes_are_those_of_the_seed) {
    const matrix<double> one = shapelets{200, 6, 1, 3}.shapes(), fewer = shapelets{20, 6, 4, 3}.shapes(),
                         others = shapelets{20, 6, 1, 4}.shapes();
    for (index j = 0; j < 200; ++j) {
        double mean = 0, square = 0;
        for (index k = 0; k < 6; ++k) mean += one(j, k), square += one(j, k) * one(j, k);
        EXPECT_NEAR(mean, 0, 1e-14);
        EXPECT_NEAR(square, 1, 1e-14);
    }
    for (index k = 0; k < 6; ++k) EXPECT_EQ(one(19, k), fewer(19, k)) << "more shapes are others beside the first";
    EXPECT_NE(one(0, 0), others(0, 0));
}

TEST(series_features, find_a_shape_where_it_is) {
    const shapelets of{8, 5, 2, 11};
    const matrix<double> shapes = of.shapes();
    generator random(8);
    for (index j = 0; j < 8; ++j) {
        one_series x = random_one(random, 30);
        for (index k = 0; k < 5; ++k)
            x.values[static_cast<std::size_t>(7 + k * (index{1} << j % 2))] = 100 + 3 * shapes(j, k);
        const object_features phi(kernel(of), series({x}));
        EXPECT_NEAR(phi.x().values(0)[static_cast<std::size_t>(j)], 1, 1e-10);
    }
}

TEST(series_features, nothing_and_what_does_not_vary) {
    const one_series nothing, flat{{2, 2, 2, 2, 2, 2}, 1}, one{{-3}, 1};
    for (const char* k : {"fourier()", "fourier(phases=1)", "shapelets()"}) {
        EXPECT_EQ(value_of(k, nothing, nothing), 0) << k;
        EXPECT_EQ(value_of(k, nothing, flat), 0) << k;
    }
    EXPECT_NEAR(value_of("fourier()", flat, one), -6, 1e-14);
    EXPECT_EQ(value_of("shapelets(10, 3)", flat, flat), 0);
    EXPECT_EQ(value_of("shapelets(10, 3)", flat, one), 0);
    const one_series offset{{1e9 + 0.1, 1e9 + 0.1, 1e9 + 0.1}, 1};
    EXPECT_EQ(value_of("shapelets(10, 3, 1)", offset, offset), 0) << "equal values, whatever they are";
}

TEST(series_features, of_vectors_are_those_of_their_coordinates) {
    generator random(9);
    const one_series x = random_one(random, 12, 3), z = random_one(random, 20, 3);
    for (const std::string k : {"fourier(5)", "fourier(3, 1)", "shapelets(20, 4, 2)"}) {
        double sum = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            one_series a, b;
            for (std::size_t t = 0; t < 12; ++t) a.values.push_back(x.values[3 * t + d]);
            for (std::size_t t = 0; t < 20; ++t) b.values.push_back(z.values[3 * t + d]);
            sum += value_of(k, a, b);
        }
        EXPECT_NEAR(value_of(k, x, z), sum, 1e-13) << k;
        EXPECT_EQ(value_of(k, x, {}), 0) << k << ": an empty series fits all";
    }
    expect_error(errc::data, "fourier: series must have the same number of values per time, got 3 and 2", [&] {
        value_of("fourier()", x, {{1, 2}, 2});
    });
    const object_features phi(kernel::parse("fourier(2, 1)"), series({x}));
    EXPECT_EQ(phi.name(0, {}).text, "mean of coordinate 0");
    EXPECT_EQ(phi.name(6, {}).text, "cos 1 of coordinate 1");
    EXPECT_EQ(phi.name(14, {}).text, "sin 2 of coordinate 2");
    const object_features shapes(kernel::parse("shapelets(4)"), series({{{1, 2, 4, 1, 0, 3, 3, 1, 2}, 1}}));
    EXPECT_EQ(shapes.name(0, {}).text, "shape 0");
    EXPECT_EQ(shapes.name(2, {}).text, "shape 2, 4 times apart");
}

TEST(series_features, are_maps_for_other_kernels) {
    generator random(10);
    const one_series x = random_one(random, 12), z = random_one(random, 20);
    for (const std::string map : {"fourier(5)", "shapelets(30)"}) {
        const double apart = value_of(map, x, x) + value_of(map, z, z) - 2 * value_of(map, x, z);
        EXPECT_NEAR(value_of("pullback(" + map + ", rbf(0.25))", x, z), std::exp(-0.25 * apart), 1e-13) << map;
    }
    expect_error(errc::parse, "1 <= terms <= 100000", [] { kernel::parse("fourier(0)"); });
    expect_error(errc::parse, "phases = 0 or 1", [] { kernel::parse("fourier(phases=2)"); });
    expect_error(errc::parse, "2 <= length <= 10000", [] { kernel::parse("shapelets(length=1)"); });
    expect_error(errc::parse, "1 <= spread <= 20", [] { kernel::parse("shapelets(spread=21)"); });
    expect_error(errc::parse, "seed >= 0", [] { kernel::parse("shapelets(seed=-1)"); });
}

}  // namespace
}  // namespace mercer::testing
