// Kernels that transform coordinates (columns, scaled, anisotropic, periodic) give the same values for sparse and dense
// vectors, without a dense copy of vectors with many columns.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "gram/random_gram.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/kernel.h"

namespace mercer::testing {
namespace {

using row = std::vector<double>;

matrix<double> values_of(const std::string& text, const dataset& x, const dataset& z) {
    matrix<double> out(x.size(), z.size());
    evaluator<double>(kernel::parse(text), x, z).fill(out.view());
    return out;
}

// The rows of x, with column places[j] as their j-th; zeros are not stored.
dataset spread_out(const matrix<double>& x, const std::vector<std::int32_t>& places, index dims) {
    std::vector<index> start{0};
    std::vector<std::int32_t> cols;
    std::vector<double> values;
    for (index i = 0; i < x.rows(); ++i) {
        for (index j = 0; j < x.cols(); ++j)
            if (x(i, j) != 0) cols.push_back(places[j]), values.push_back(x(i, j));
        start.push_back(static_cast<index>(cols.size()));
    }
    return sparse<double>(std::move(start), std::move(cols), std::move(values), dims);
}

matrix<double> mostly_zero(index rows, index cols, std::uint64_t seed) {
    matrix<double> x = random_matrix<double>(rows, cols, seed);
    for (index i = 0; i < rows; ++i)
        for (index j = 0; j < cols; ++j)
            if ((i + 2 * j) % 3 == 0) x(i, j) = 0;
    return x;
}

double column_value(const std::function<double(const row&, const row&)>& k, const matrix<double>& x, index i,
                    const matrix<double>& z, index j) {
    return k(row(x.row(i), x.row(i) + x.cols()), row(z.row(j), z.row(j) + z.cols()));
}

TEST(column_maps, choose_the_same_columns_of_sparse_vectors) {
    constexpr index many = 2147483000;
    const std::vector<std::int32_t> places{3, 70000, 900000, 5000000, 2000000000, 2147482999};
    const matrix<double> x = mostly_zero(31, 6, 1), z = mostly_zero(12, 6, 2);
    // Columns out of order, one repeated, one that is empty in all rows.
    const auto k = [](const row& a, const row& b) {
        double square = 0;
        for (const int j : {4, 0, 4, 2}) square += (a[j] - b[j]) * (a[j] - b[j]);
        return std::exp(-0.5 * square);
    };
    const matrix<double> found = values_of("columns(rbf(gamma=0.5), [2000000000, 3, 2000000000, 11, 900000])",
                                           spread_out(x, places, many), spread_out(z, places, many));
    for (index i = 0; i < x.rows(); ++i)
        for (index j = 0; j < z.rows(); ++j) EXPECT_NEAR(found(i, j), column_value(k, x, i, z, j), 1e-14);
    // More columns than a row has entries, and vectors in another storage.
    std::string all = "columns(linear(), [";
    for (int c = 0; c < 40; ++c) all += std::to_string(c) + ", ";
    all += "0])";
    const std::vector<std::int32_t> near{0, 7, 12, 20, 38, 39};
    matrix<double> wide(12, 40);
    for (index j = 0; j < 12; ++j)
        for (std::size_t a = 0; a < 6; ++a) wide(j, near[a]) = z(j, static_cast<index>(a));
    const matrix<double> mixed = values_of(all, spread_out(x, near, 40), dense<double>(std::move(wide)));
    const auto dot = [](const row& a, const row& b) {
        double sum = a[0] * b[0];
        for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
        return sum;
    };
    for (index i = 0; i < x.rows(); ++i)
        for (index j = 0; j < z.rows(); ++j) EXPECT_NEAR(mixed(i, j), column_value(dot, x, i, z, j), 1e-14);
}

TEST(column_maps, norms_of_sparse_vectors_take_their_entries_alone) {
    const matrix<double> x = mostly_zero(9, 3, 5);
    const dataset wide = spread_out(x, {1, 1000, 99999}, 100000);
    const matrix<double> found = values_of("conjugate(norm, rbf(gamma=0.5))", wide, wide);
    const auto k = [](const row& a, const row& b) {
        double square = 0, left = 0, right = 0;
        for (std::size_t j = 0; j < 3; ++j)
            square += (a[j] - b[j]) * (a[j] - b[j]), left += a[j] * a[j], right += b[j] * b[j];
        return std::sqrt(left * right) * std::exp(-0.5 * square);
    };
    for (index i = 0; i < x.rows(); ++i)
        for (index j = 0; j < x.rows(); ++j) EXPECT_NEAR(found(i, j), column_value(k, x, i, x, j), 1e-13);
}

TEST(column_maps, scale_sparse_and_dense_vectors_alike) {
    constexpr index d = 600;
    const std::vector<std::int32_t> places{0, 5, 99, 300, 301, 599};
    const matrix<double> x = mostly_zero(31, 6, 1), z = mostly_zero(12, 6, 2);
    std::string variances, factors;
    row v(d);
    for (index a = 0; a < d; ++a) {
        v[a] = 0.25 + static_cast<double>(a % 7);
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.17g", v[a]);
        variances += (a ? ", " : "") + std::string(digits);
        std::snprintf(digits, sizeof digits, "%.17g", 1 / std::sqrt(v[a]));
        factors += (a ? ", " : "") + std::string(digits);
    }
    matrix<double> wide(12, d);
    for (index j = 0; j < 12; ++j)
        for (std::size_t a = 0; a < 6; ++a) wide(j, places[a]) = z(j, static_cast<index>(a));
    const auto gaussian = [&](const row& a, const row& b) {
        double square = 0;
        for (std::size_t j = 0; j < 6; ++j) square += (a[j] - b[j]) * (a[j] - b[j]) / v[places[j]];
        return std::exp(-square / 2);
    };
    const auto periodic = [](const row& a, const row& b) {
        double sum = 0;
        for (std::size_t j = 0; j < 6; ++j) sum += std::pow(std::sin(std::acos(-1.0) * (a[j] - b[j]) / 1.5), 2);
        return std::exp(-2 * sum);
    };
    const dataset sparse_x = spread_out(x, places, d), sparse_z = spread_out(z, places, d),
                  dense_z(dense<double>{wide.view()});
    for (const dataset& right : {sparse_z, dense_z}) {
        const matrix<double> one = values_of("anisotropic([" + variances + "])", sparse_x, right),
                             two = values_of("scaled(rbf(gamma=0.5), [" + factors + "])", sparse_x, right),
                             turned = values_of("anisotropic([" + variances + "])", right, sparse_x),
                             wave = values_of("periodic(length_scale=1, period=1.5)", sparse_x, right);
        for (index i = 0; i < x.rows(); ++i)
            for (index j = 0; j < z.rows(); ++j) {
                EXPECT_NEAR(one(i, j), column_value(gaussian, x, i, z, j), 1e-14);
                EXPECT_NEAR(two(i, j), column_value(gaussian, x, i, z, j), 1e-14);
                EXPECT_NEAR(turned(j, i), column_value(gaussian, x, i, z, j), 1e-14);
                EXPECT_NEAR(wave(i, j), column_value(periodic, x, i, z, j), 1e-14);
            }
    }
}

// Far from the origin the coordinates that are multiplied have digits for the distances left.
TEST(column_maps, multiply_far_from_the_origin) {
    matrix<double> x = random_matrix<double>(20, 3, 1);
    for (index i = 0; i < 20; ++i)
        for (index j = 0; j < 3; ++j) x(i, j) += 1e9;
    const dataset rows = dense<double>(x.view());
    const matrix<double> found = values_of("anisotropic([0.3, 1, 7])", rows, rows);
    for (index i = 0; i < 20; ++i)
        for (index j = 0; j < 20; ++j) {
            const double a = x(i, 0) - x(j, 0), b = x(i, 1) - x(j, 1), c = x(i, 2) - x(j, 2);
            EXPECT_NEAR(found(i, j), std::exp(-(a * a / 0.3 + b * b + c * c / 7) / 2), 1e-14);
        }
}

// A variance for each of 50,000 columns: a matrix of them would take 20 GB.
TEST(column_maps, a_diagonal_covariance_is_no_matrix) {
    constexpr index d = 50000;
    std::string variances = "4";
    for (index a = 1; a < d; ++a) variances += ", 4";
    matrix<double> x(2, d);
    for (index a = 0; a < d; ++a) x(1, a) = a % 2 ? 0.01 : 0;
    const matrix<double> found =
        values_of("anisotropic([" + variances + "])", dense<double>(x.view()), dense<double>(x.view()));
    EXPECT_NEAR(found(0, 1), std::exp(-0.5 * 25000 * 1e-4 / 4), 1e-13);
}

}  // namespace
}  // namespace mercer::testing
