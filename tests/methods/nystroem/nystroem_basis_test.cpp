#include "mercer/methods/nystroem/nystroem_basis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mercer {
namespace {

matrix<double> random_matrix(index rows, index cols, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    matrix<double> out(rows, cols);
    for (index i = 0; i < rows * cols; ++i) out.data()[i] = normal(random);
    return out;
}

// k(zᵢ, zⱼ) = e^(-|i-j|·decay): well conditioned for large decay, nearly singular for small decay.
matrix<double> centres(index m, double decay, double scale = 1) {
    matrix<double> out(m, m);
    for (index i = 0; i < m; ++i)
        for (index j = 0; j < m; ++j) out(i, j) = scale * std::exp(-decay * static_cast<double>(std::abs(i - j)));
    return out;
}

// (ΦᵀΦ + λI)z of the rows Φ = [K T⁻¹, 1], in double, with T from the basis itself; instead of λ the constant has 1e-10
// of its own square.
std::vector<double> multiplied(const nystroem_basis& basis, const matrix<double>& sketch, double lambda,
                               const std::vector<double>& z) {
    const index m = basis.size(), n = sketch.cols();
    matrix<double> phi(sketch.rows(), m);
    for (index i = 0; i < sketch.rows(); ++i) std::copy_n(sketch.row(i), m, phi.row(i));
    basis.to_gradient(phi.view());
    std::vector<double> out(static_cast<std::size_t>(n));
    for (index i = 0; i < sketch.rows(); ++i) {
        double f = n > m ? sketch(i, m) * z.back() : 0;
        for (index j = 0; j < m; ++j) f += phi(i, j) * z[static_cast<std::size_t>(j)];
        for (index j = 0; j < m; ++j) out[static_cast<std::size_t>(j)] += f * phi(i, j);
        if (n > m) out.back() += f * sketch(i, m) + 1e-10 * sketch(i, m) * sketch(i, m) * z.back();
    }
    for (index j = 0; j < m; ++j) out[static_cast<std::size_t>(j)] += lambda * z[static_cast<std::size_t>(j)];
    return out;
}

double relative_residual(const nystroem_basis& basis, index rows, bool constant, double lambda, unsigned seed,
                         double scale = 1) {
    const index m = basis.size(), n = m + (constant ? 1 : 0);
    matrix<double> sketch = random_matrix(rows, n, seed);
    for (index i = 0; i < rows * n; ++i) sketch.data()[i] *= scale;
    for (index i = 0; i < rows && constant; ++i) sketch(i, m) = 1;
    const sketched_hessian hessian(basis, sketch, lambda);
    const matrix<double> wanted = random_matrix(1, n, seed + 1);
    std::vector<double> z(wanted.data(), wanted.data() + n);
    hessian.solve({z.data(), 1, n, n});
    const std::vector<double> back = multiplied(basis, sketch, lambda, z);
    double off = 0, size = 0;
    for (index j = 0; j < n; ++j) {
        off += std::pow(back[static_cast<std::size_t>(j)] - wanted(0, j), 2);
        size += std::pow(wanted(0, j), 2);
    }
    return std::sqrt(off / size);
}

TEST(sketched_hessian, is_the_matrix_whatever_the_number_of_rows) {
    const nystroem_basis basis(centres(410, 0.5));
    for (const index rows : {40, 512, 1000, 2100})  // fewer than centres, one chunk, and more
        for (const bool constant : {false, true})
            EXPECT_LT(relative_residual(basis, rows, constant, 1.0, 7), 1e-9) << rows << constant;
}

TEST(sketched_hessian, is_the_matrix_where_the_ridge_is_small) {
    for (const double decay : {0.5, 1e-5}) {
        const nystroem_basis basis(centres(410, decay));
        for (const index rows : {1000, 2100})
            EXPECT_LT(relative_residual(basis, rows, true, 1e-4 / decay, 7), 1e-5) << decay << ' ' << rows;
    }
}

// k(x, z) of 1e60 and 1e-60: the entries of φ, which are squared, are 1e30 and 1e-30.
TEST(sketched_hessian, takes_kernel_values_beyond_float) {
    for (const double scale : {1e60, 1e-60}) {
        const nystroem_basis basis(centres(410, 0.5, scale));
        EXPECT_LT(relative_residual(basis, 1000, false, scale, 7, scale), 1e-9) << scale;
    }
}

TEST(sketched_hessian, is_the_matrix_where_centres_are_few) {
    const nystroem_basis basis(centres(90, 0.5));
    for (const index rows : {40, 1000})
        for (const bool constant : {false, true})
            EXPECT_LT(relative_residual(basis, rows, constant, 1.0, 7), 1e-9) << rows << constant;
}

TEST(sketched_hessian, is_the_matrix_where_centres_nearly_depend_on_each_other) {
    const nystroem_basis basis(centres(90, 1e-7));
    for (const index rows : {40, 600}) EXPECT_LT(relative_residual(basis, rows, true, 1e4, 9), 1e-4) << rows;
}

// The same matrix whether ΦᵀΦ is accumulated or (SK)ᵀSK is transformed to the basis: a small ridge selects the first
// way, a large ridge the second.
TEST(sketched_hessian, is_the_matrix_on_both_ways) {
    for (const double decay : {0.5, 1e-3, 1e-5}) {
        const nystroem_basis basis(centres(410, decay));
        for (const double lambda : {1e-6, 1e-2, 1e2, 1e6})
            for (const bool constant : {false, true})
                EXPECT_LT(relative_residual(basis, 1000, constant, lambda * basis.diagonal_spread(), 7), 1e-4)
                    << decay << ' ' << lambda << constant;
    }
}

// (ΦᵀΦ + λI)γ = Φᵀy for the rows of the sketch and the targets in its last columns, in both ways.
TEST(sketched_hessian, solves_for_targets_behind_the_rows) {
    const nystroem_basis basis(centres(110, 0.05));
    const index m = basis.size(), rows = 700, targets = 3;
    for (const double lambda : {1e-6, 1.0, 1e6})
        for (const index ones : {0, 1}) {
            const index n = m + ones;
            matrix<double> sketch = random_matrix(rows, n + targets, 3), alone(rows, n), phi(rows, m);
            for (index i = 0; i < rows; ++i) {
                if (ones == 1) sketch(i, m) = 1;
                std::copy_n(sketch.row(i), n, alone.row(i));
                std::copy_n(sketch.row(i), m, phi.row(i));
            }
            basis.to_gradient(phi.view());
            const sketched_hessian hessian(basis, sketch, lambda, nullptr, targets);
            ASSERT_EQ(hessian.solutions().rows(), targets);
            for (index c = 0; c < targets; ++c) {
                const double* gamma = hessian.solutions().row(c);
                const std::vector<double> back = multiplied(basis, alone, lambda, {gamma, gamma + n});
                double off = 0, size = 0;
                for (index j = 0; j < n; ++j) {
                    double wanted = 0;
                    for (index i = 0; i < rows; ++i) wanted += sketch(i, n + c) * (j < m ? phi(i, j) : 1.0);
                    off += std::pow(back[static_cast<std::size_t>(j)] - wanted, 2), size += wanted * wanted;
                }
                EXPECT_LT(std::sqrt(off / size), 1e-6) << lambda << ' ' << ones << ' ' << c;
            }
        }
}

// Transforming to the basis and back is the identity, and ‖T⁻¹‖² agrees with a solution for every unit vector, up to
// sampling error.
TEST(nystroem_basis, goes_back_to_coefficients_and_gradients) {
    const nystroem_basis basis(centres(90, 0.5));
    const matrix<double> rows = random_matrix(3, 90, 8);
    matrix<double> there = rows, turned = rows, units(90, 90);
    basis.to_coefficients(there.view()), basis.from_coefficients(there.view());
    basis.to_gradient(turned.view()), basis.from_gradient(turned.view());
    for (index i = 0; i < 3 * 90; ++i) {
        EXPECT_NEAR(there.data()[i], rows.data()[i], 1e-9);
        EXPECT_NEAR(turned.data()[i], rows.data()[i], 1e-9);
    }
    for (index i = 0; i < 90; ++i) units(i, i) = 1;
    basis.to_gradient(units.view());
    double square = 0;
    for (index i = 0; i < 90 * 90; ++i) square += units.data()[i] * units.data()[i];
    EXPECT_GT(basis.squared_inverse_norm(), square / 4);
    EXPECT_LT(basis.squared_inverse_norm(), square * 4);
}

// Copies of centres, and linear combinations of other centres up to rounding, are left out.
TEST(nystroem_basis, knows_the_centres_that_depend_on_none_before_them) {
    matrix<double> z = random_matrix(40, 12, 5);
    for (index i = 0; i < 40 * 12; ++i) z.data()[i] *= 0.2;
    const std::vector<index> wanted{0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13};  // of twelve numbers no more than twelve
    for (index j = 0; j < 12; ++j) {
        std::fill_n(z.row(wanted[static_cast<std::size_t>(j)]), 12, 0.0);
        z(wanted[static_cast<std::size_t>(j)], j) = 1;
    }
    std::copy_n(z.row(3), 12, z.row(8));
    for (index j = 0; j < 12; ++j) z(10, j) = 0.5 * (z(1, j) - z(2, j));
    matrix<double> k(40, 40);
    for (index i = 0; i < 40; ++i)
        for (index j = 0; j < 40; ++j)
            for (index c = 0; c < 12; ++c) k(i, j) += z(i, c) * z(j, c);
    EXPECT_EQ(nystroem_basis(k).independent_centres(), wanted);
    EXPECT_EQ(std::ssize(nystroem_basis(centres(90, 0.5)).independent_centres()), 90);
}

}  // namespace
}  // namespace mercer
