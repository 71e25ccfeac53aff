// Kernel values of data as people bring them: far from the origin, columns of very different ranges, near-duplicates.
// Every value is within a few units of rounding of the true one for the numbers given, in float and in double, however
// the vectors are stored.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <random>
#include <string>

#include "kernels/rows_support.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/expression/algebra.h"

namespace mercer {
namespace {

using testing_support::dense_of;
using testing_support::sparse_of;
using row = std::vector<long double>;
using exact_kernel = std::function<long double(const row&, const row&)>;

long double squared(const row& x, const row& z) {
    long double sum = 0;
    for (std::size_t a = 0; a < x.size(); ++a) sum += (x[a] - z[a]) * (x[a] - z[a]);
    return sum;
}
long double absolute(const row& x, const row& z) {
    long double sum = 0;
    for (std::size_t a = 0; a < x.size(); ++a) sum += std::abs(x[a] - z[a]);
    return sum;
}

struct case_of {
    std::string text;
    exact_kernel k;
};

// Kernels whose value depends on differences; g is their scale.
std::vector<case_of> kernels_of(double g) {
    const std::string digits = [&] {
        char out[40];
        std::snprintf(out, sizeof out, "%.17g", g);
        return std::string(out);
    }();
    char root[40], inverse[40];
    std::snprintf(root, sizeof root, "%.17g", std::sqrt(g));
    std::snprintf(inverse, sizeof inverse, "%.17g", 1 / std::sqrt(g));
    const double l = std::strtod(inverse, nullptr), s = std::strtod(root, nullptr);
    return {
        {"rbf(gamma=" + digits + ")",
         [g](const row& x, const row& z) { return std::exp(-static_cast<long double>(g) * squared(x, z)); }},
        {"laplacian(gamma=" + std::string(root) + ")",
         [s](const row& x, const row& z) { return std::exp(-static_cast<long double>(s) * absolute(x, z)); }},
        {"matern(nu=0.5, length_scale=" + std::string(inverse) + ")",
         [l](const row& x, const row& z) { return std::exp(-std::sqrt(squared(x, z)) / l); }},
        {"matern(nu=1.5, length_scale=" + std::string(inverse) + ")",
         [l](const row& x, const row& z) {
             const long double t = std::sqrt(3 * squared(x, z)) / l;
             return (1 + t) * std::exp(-t);
         }},
        {"rational_quadratic(alpha=1, length_scale=" + std::string(inverse) + ")",
         [l](const row& x, const row& z) { return 1 / (1 + squared(x, z) / (2 * static_cast<long double>(l) * l)); }},
    };
}

std::vector<row> stored(const dataset& x) {
    const dense<double> rows = as_dense<double>(x);
    std::vector<row> out;
    for (index i = 0; i < rows.size(); ++i) out.emplace_back(rows.row(i), rows.row(i) + rows.dims());
    return out;
}

// The largest error of all entries, in units of rounding of the largest value, 1.
template <class T>
double worst(const std::string& text, const exact_kernel& k, const dataset& x, const dataset* z = nullptr) {
    const kernel built = kernel::parse(text);
    const dataset& right = z ? *z : x;
    matrix<T> K(x.size(), right.size());
    if (z)
        evaluator<T>(built, x, *z).fill(K.view());
    else
        evaluator<T>(built, x, {std::size_t{1} << 20, std::size_t{1} << 20}).fill(K.view());
    const auto a = stored(x), b = stored(right);
    long double most = 0;
    for (index i = 0; i < K.rows(); ++i)
        for (index j = 0; j < K.cols(); ++j)
            most = std::max(most, std::abs(static_cast<long double>(K(i, j)) -
                                           k(a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(j)])));
    return static_cast<double>(most) / (sizeof(T) == 4 ? 0x1p-24 : 0x1p-53);
}

// Rows around `offset`, column a with a spread of up to `spread`; every other row is a neighbour of an earlier one,
// near enough that k(x, z) is neither 0 nor 1.
matrix<double> drawn(index n, index dims, double offset, double spread, double gamma, double zeros, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    matrix<double> rows(n, dims);
    for (index i = 0; i < n; ++i)
        for (index a = 0; a < dims; ++a) {
            const double width = std::pow(spread, static_cast<double>(a % 3) / 2);
            if (i % 2 == 1 && i > 1)
                rows(i, a) = rows(i - 1, a) + normal(random) / std::sqrt(gamma * static_cast<double>(dims));
            else
                rows(i, a) = offset + width * normal(random);
            // Neighbours are zero in the same places.
            if (i % 2 == 1 && i > 1 ? zeros > 0 && rows(i - 1, a) == 0 : uniform(random) < zeros) rows(i, a) = 0;
        }
    return rows;
}

constexpr double allowed = 24;  // units of rounding

template <class T>
class accuracy : public ::testing::Test {};
using number_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(accuracy, number_types);

TYPED_TEST(accuracy, of_kernels_of_differences_on_raw_columns) {
    unsigned seed = 0;
    for (const double offset : {0.0, 1e3, 1e6, 1e9})
        for (const double spread : {1.0, 1e3, 1e6})
            for (const double gamma : {1e-6, 1e-2, 1.0, 100.0})
                for (const index dims : {3, 40}) {
                    const matrix<double> rows = drawn(30, dims, offset, spread, gamma, 0, ++seed),
                                         other = drawn(17, dims, offset, spread, gamma, 0, seed);
                    const dataset x = dense_of<double>(rows), f = dense_of<float>(rows), s = sparse_of<double>(rows),
                                  z = dense_of<double>(other);
                    for (const auto& [text, k] : kernels_of(gamma)) {
                        const auto where = [&] {
                            return text + " offset " + std::to_string(offset) + " spread " + std::to_string(spread);
                        };
                        EXPECT_LE((worst<TypeParam>(text, k, x)), allowed) << where() << " double";
                        EXPECT_LE((worst<TypeParam>(text, k, f)), allowed) << where() << " float";
                        EXPECT_LE((worst<TypeParam>(text, k, s)), allowed) << where() << " sparse";
                        EXPECT_LE((worst<TypeParam>(text, k, x, &z)), allowed) << where() << " two sets";
                    }
                }
}

TYPED_TEST(accuracy, of_distances_of_sparse_rows) {
    unsigned seed = 100;
    for (const double offset : {1.0, 1e3, 1e6})
        for (const double gamma : {1e-3, 1.0})
            for (const index dims : {40, 6000}) {
                const matrix<double> rows = drawn(20, dims, offset, 10, gamma, dims == 40 ? 0.8 : 0.99, ++seed);
                const auto cases = kernels_of(gamma);
                for (const auto& [text, k] : {cases[0], cases[2]}) {
                    EXPECT_LE((worst<TypeParam>(text, k, sparse_of<double>(rows))), allowed)
                        << text << " " << offset << " " << dims;
                    EXPECT_LE((worst<TypeParam>(text, k, sparse_of<float>(rows))), allowed)
                        << text << " " << offset << " " << dims;
                    EXPECT_LE((worst<TypeParam>(text, k, dense_of<double>(rows))), allowed)
                        << text << " " << offset << " " << dims;
                }
            }
}

TYPED_TEST(accuracy, of_histograms_with_large_counts) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform;
    matrix<double> rows(24, 12);
    for (index i = 0; i < rows.rows(); ++i)
        for (index a = 0; a < rows.cols(); ++a)
            rows(i, a) = i % 2 ? rows(i - 1, a) * (1 + 1e-3 * uniform(random)) : 1e6 * uniform(random) / 3;
    const exact_kernel chi2 = [](const row& x, const row& z) {
        long double sum = 0;
        for (std::size_t a = 0; a < x.size(); ++a) sum += (x[a] - z[a]) * (x[a] - z[a]) / (x[a] + z[a]);
        return std::exp(-sum);
    };
    EXPECT_LE((worst<TypeParam>("chi2(gamma=1)", chi2, dense_of<double>(rows))), allowed);
    EXPECT_LE((worst<TypeParam>("chi2(gamma=1)", chi2, dense_of<float>(rows))), allowed);
}

// The same function under other names.
TYPED_TEST(accuracy, of_expressions_that_are_a_gaussian) {
    const exact_kernel half = [](const row& x, const row& z) { return std::exp(-squared(x, z) / 2); };
    for (const double offset : {0.0, 1e3, 1e6, 1e8}) {
        const dataset x = dense_of<double>(drawn(30, 4, offset, 1, 0.5, 0, 3));
        for (const char* text : {"normalize(exp(linear()))", "normalize(2*exp(linear()))",
                                 "normalize(exp(0.5*linear())^2)", "normalize(exp(linear())*exp(constant(c=3)))"})
            EXPECT_LE((worst<TypeParam>(text, half, x)), allowed) << text << " " << offset;
    }
}

TYPED_TEST(accuracy, of_periods_far_from_the_origin) {
    const exact_kernel k = [](const row& x, const row& z) {
        long double sum = 0;
        for (std::size_t a = 0; a < x.size(); ++a) {
            const long double s =
                std::sin(std::numbers::pi_v<long double> * std::remainder(x[a] - z[a], 0.75L) / 0.75L);
            sum += s * s;
        }
        return std::exp(-2 * sum);
    };
    for (const double offset : {0.0, 1e6, 1e9})
        EXPECT_LE((worst<TypeParam>("periodic(length_scale=1, period=0.75)", k,
                                    dense_of<double>(drawn(20, 3, offset, 100, 1, 0, 5)))),
                  allowed)
            << offset;
}

TYPED_TEST(accuracy, of_a_full_covariance_far_from_the_origin) {
    const exact_kernel k = [](const row& x, const row& z) {
        const long double a = x[0] - z[0], b = x[1] - z[1];
        return std::exp(-(a * a - a * b + 2 * b * b) / 1.75L / 2);  // by Σ⁻¹
    };
    for (const double offset : {0.0, 1e3, 1e6, 1e9}) {
        const double w = worst<TypeParam>("anisotropic(covariance=[[2, 0.5], [0.5, 1]])", k,
                                          dense_of<double>(drawn(20, 2, offset, 1, 1, 0, 6)));
        EXPECT_LE(w, allowed) << offset;
    }
}

}  // namespace
}  // namespace mercer
