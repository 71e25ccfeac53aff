#include "mercer/solvers/nystroem/nystroem_basis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mercer/solvers/algebra/dense_algebra.h"

namespace mercer {
namespace {

matrix<double> random_matrix(index rows, index cols, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    matrix<double> out(rows, cols);
    for (index i = 0; i < rows * cols; ++i) out.data()[i] = normal(random);
    return out;
}

// k(zᵢ, zⱼ) = e^(-|i-j|·decay): far from singular where decay is large, next to it where it is small.
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

TEST(sketched_hessian, is_about_the_matrix_where_float_is_enough) {
    const nystroem_basis basis(centres(410, 0.5));
    for (const index rows : {40, 1000, 2048, 2100})  // fewer than centres, one chunk, and a little more
        for (const bool constant : {false, true})
            EXPECT_LT(relative_residual(basis, rows, constant, 1.0, 7), 1e-3) << rows << constant;
}

TEST(sketched_hessian, is_the_matrix_where_the_ridge_is_below_what_float_rounds) {
    for (const double decay : {0.5, 1e-5}) {
        const nystroem_basis basis(centres(410, decay));
        for (const index rows : {1000, 2100})
            EXPECT_LT(relative_residual(basis, rows, true, 1e-4 / decay, 7), 1e-5) << decay << ' ' << rows;
    }
}

// k(x, z) of 1e60 and of 1e-60: φ, whose squares count, of 1e30 and 1e-30.
TEST(sketched_hessian, takes_kernel_values_beyond_float) {
    for (const double scale : {1e60, 1e-60}) {
        const nystroem_basis basis(centres(410, 0.5, scale));
        EXPECT_LT(relative_residual(basis, 1000, false, scale, 7, scale), 1e-3) << scale;
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

TEST(nystroem_basis, is_turned_in_float) {
    const nystroem_basis basis(centres(130, 0.3));
    const matrix<float> t = basis.turned_in_float();
    // T⁻ᵀe of a unit vector by both.
    for (const index at : {0, 63, 64, 129}) {
        std::vector<double> exact(130);
        std::vector<float> rough(130);
        exact[static_cast<std::size_t>(at)] = 1, rough[static_cast<std::size_t>(at)] = 1;
        basis.to_gradient({exact.data(), 1, 130, 130});
        half_solve_rows(t.view(), {rough.data(), 1, 130, 130});
        for (std::size_t j = 0; j < 130; ++j) EXPECT_NEAR(rough[j], exact[j], 1e-4) << at << ' ' << j;
        for (index j = at + 1; j < 130; ++j) EXPECT_EQ(t(at, j), 0) << at << ' ' << j;
    }
}

TEST(dense_algebra, adds_a_gram_matrix_in_float_to_the_lower_half) {
    const matrix<double> g = random_matrix(37, 19, 3);
    matrix<float> rows(37, 19), sum(19, 19);
    for (index i = 0; i < 37 * 19; ++i) rows.data()[i] = static_cast<float>(g.data()[i]);
    add_gram(rows.view(), sum);
    add_gram(rows.view(), sum);
    for (index i = 0; i < 19; ++i)
        for (index j = 0; j < 19; ++j) {
            double wanted = 0;
            for (index r = 0; r < 37 && j <= i; ++r) wanted += 2 * g(r, i) * g(r, j);
            EXPECT_NEAR(sum(i, j), wanted, 1e-4) << i << ' ' << j;
        }
}

}  // namespace
}  // namespace mercer
