#include "mercer/solvers/newton/conjugate_gradients.h"

#include <gtest/gtest.h>

#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/solvers/newton/solve_softmax.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

// (λI + S Q S K)X = -R by conjugate gradients compared with elimination, with examples of zero curvature, two functions
// and a projection that mixes them; with a preconditioner of full rank, of low rank, and for a K that is not stored.
TEST(newton_equations, are_solved) {
    using namespace regression_testing;
    const index n = 70, functions = 2, all = n * functions;
    const sample s = wave(n, 2, 31);
    const matrix<double> K = gram_matrix(s.x, rbf(0.8));
    std::mt19937_64 random(32);
    std::normal_distribution<double> normal;
    matrix<double> S(n, functions), R(n, functions), v(n, functions);
    double length = 0;
    for (index k = 0; k < all; ++k) {
        S.data()[k] = k % 7 == 0 ? 0 : std::exp(normal(random));
        R.data()[k] = normal(random), v.data()[k] = S.data()[k] * normal(random);
        length += v.data()[k] * v.data()[k];
    }
    const double lambda = 0.05;
    // Q = I - vvᵀ/vᵀv
    const auto project = [&](matrix<double>& u) {
        double along = 0;
        for (index k = 0; k < all; ++k) along += v.data()[k] * u.data()[k];
        for (index k = 0; k < all; ++k) u.data()[k] -= along / length * v.data()[k];
    };
    // The whole matrix, with the functions interleaved as in the solver.
    matrix<double> a(all, all), right(all, 1);
    for (index k = 0; k < all; ++k) {
        right(k, 0) = -R.data()[k];
        for (index l = 0; l < all; ++l) {
            double sum = k == l ? lambda : 0;
            for (index m = l % functions; m < all; m += functions)
                sum += S.data()[k] * ((k == m ? 1 : 0) - v.data()[k] * v.data()[m] / length) * S.data()[m] *
                       K(m / functions, l / functions);
            a(k, l) = sum;
        }
    }
    const matrix<double> want = eliminated(a, right);
    const precomputed<double> there(K);
    const cpu_kernel_gram<double> again(gaussian{0.8}, dense_data(s.x));
    for (const gram<double>* gram :
         {static_cast<const mercer::gram<double>*>(&there), static_cast<const mercer::gram<double>*>(&again)})
        for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{3 * 8 * 70 * 20}}) {
            int products = 0;
            const auto multiply = [&](const matrix<double>& u) {
                ++products;
                return product(K.view(), transposed::no, u.view(), transposed::no);
            };
            newton_equations equations(*gram, lambda, memory, 0);
            const matrix<double> KR = product(K.view(), transposed::no, R.view(), transposed::no);
            const newton_step found = equations.solve(S, S, project, R, KR, 1e-20 * all, multiply, [] { return true; });
            const matrix<double> Kx = product(K.view(), transposed::no, found.x.view(), transposed::no);
            matrix<double> left(n, functions);
            for (index k = 0; k < all; ++k) {
                double sum = R.data()[k];
                for (index l = 0; l < all; ++l) sum += a(k, l) * found.x.data()[l];
                left.data()[k] = sum;
                ASSERT_NEAR(found.Kx.data()[k], Kx.data()[k], 1e-9);
                // If the factor is all of K, the part of X in the null space of K is unchanged.
                if (memory < 1 << 20) {
                    ASSERT_NEAR(found.x.data()[k], want(k, 0), 1e-6);
                }
            }
            const matrix<double> Kleft = product(K.view(), transposed::no, left.view(), transposed::no);
            double square = 0;
            for (index k = 0; k < all; ++k) square += left.data()[k] * Kleft.data()[k];
            EXPECT_LE(square, 1e-16 * all);
            EXPECT_LE(products, 140);
        }
}

// The purpose of the preconditioner: it reduces the number of products for an ill-conditioned problem.
TEST(newton_equations, a_preconditioner_saves_products) {
    using namespace regression_testing;
    const index n = 2000;
    const sample s = wave(n, 3, 33);
    std::vector<double> y;
    for (const double each : s.y) y.push_back(each > 0 ? 1.0 : -1.0);
    const matrix<double> values = gram_of(gaussian{0.5}, dense_data(s.x));
    const precomputed<double> K(values.view());
    representer_options o;
    o.lambda = 0.1, o.intercept = true, o.system = newton_system::conjugate_gradient;
    const representer_result found = solve_representer(K, y, {}, loss::logistic(), o);
    EXPECT_EQ(found.status, fit_status::converged);
    o.memory_bytes = 1;  // for a preconditioner of rank one
    const representer_result plain = solve_representer(K, y, {}, loss::logistic(), o);
    EXPECT_EQ(plain.status, fit_status::converged);
    EXPECT_NEAR(plain.objective, found.objective, 2e-6 * found.objective);
    EXPECT_LT(3 * found.products, plain.products);
}

// A kernel of low rank on unscaled data: components in the null space of K must not make the coefficients large.
TEST(newton_equations, take_a_linear_kernel_on_raw_columns) {
    using namespace regression_testing;
    std::mt19937_64 random(36);
    std::normal_distribution<double> normal;
    const index n = 2200;
    matrix<double> x(n, 3);
    std::vector<index> label;
    std::vector<double> y;
    for (index i = 0; i < n; ++i) {
        x(i, 0) = 3000 * normal(random), x(i, 1) = 0.5 * normal(random), x(i, 2) = 90 * normal(random);
        const double score = x(i, 0) / 3000 + 2 * x(i, 1) + normal(random);
        label.push_back(score < -1 ? 0 : score < 1 ? 1 : 2), y.push_back(score > 0 ? 1.0 : -1.0);
    }
    const cpu_kernel_gram<double> K(linear{}, dense<double>(x));
    representer_options o;
    o.lambda = 1e-3, o.system = newton_system::conjugate_gradient;
    for (const bool intercept : {false, true}) {
        o.intercept = intercept;
        const softmax_result found = solve_softmax(K, label, 3, {}, o);
        EXPECT_EQ(found.status, fit_status::converged) << found.gap << " of " << found.objective;
        EXPECT_LE(found.rounds, 30);
        const representer_result two = solve_representer(K, y, {}, loss::logistic(), o);
        EXPECT_EQ(two.status, fit_status::converged) << two.gap << " of " << two.objective;
        EXPECT_LE(two.rounds, 30);
    }
}

}  // namespace
}  // namespace mercer
