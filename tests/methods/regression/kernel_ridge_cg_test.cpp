#include <gtest/gtest.h>

#include "mercer/kernels/gaussian.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

using namespace regression_testing;

// Predictions of both ways differ by no more than the residual: K(K + λI)⁻¹ has no eigenvalue above 1.
TEST(kernel_ridge_cg, agrees_with_the_decomposition) {
    for (const char* file :
         {"housing.svm", "wine.svm", "iris.svm", "heart_scale.svm", "breast-cancer.svm", "sonar.svm"}) {
        const sample s = standardised(load(file));
        const dataset x = dense_data(s.x);
        const matrix<double> y = targets(s.y, 2);
        for (const double alpha : {1e-3, 1.0}) {
            kernel_ridge_options o;
            o.alpha = alpha, o.tol = 1e-11;
            for (index i = 0; i < x.size(); ++i) o.sample_weight.push_back(static_cast<double>(i % 4));
            o.solver = ridge_solver::direct;
            const auto direct = fit_kernel_ridge(gaussian{0.05}, x, y.view(), o);
            o.solver = ridge_solver::cg;
            const auto cg = fit_kernel_ridge(gaussian{0.05}, x, y.view(), o);
            EXPECT_EQ(cg.status, fit_status::converged) << file << " " << cg.residual;
            EXPECT_LE(cg.residual, 1e-11);
            expect_close(predict(cg, x), predict(direct, x), 1e-8);
        }
    }
}

TEST(kernel_ridge_cg, is_taken_where_the_matrix_does_not_fit) {
    const sample s = wave(1500, 3, 1);
    const dataset x = dense_data(s.x);
    kernel_ridge_options o;
    o.alpha = 0.1, o.memory_bytes = std::size_t{10} << 20;
    const auto cg = fit_kernel_ridge(gaussian{0.5}, x, column(s.y).view(), o);
    EXPECT_GT(cg.residual, 0);
    EXPECT_LE(cg.residual, 1e-10);
    const auto direct = fit_kernel_ridge(gaussian{0.5}, x, column(s.y).view(), {.alpha = 0.1});
    EXPECT_EQ(direct.residual, 0);
    expect_close(predict(cg, x), predict(direct, x), 1e-8);
    // With half of K kept the products are the same.
    o.memory_bytes = std::size_t{1} << 30, o.solver = ridge_solver::cg;
    expect_close(predict(fit_kernel_ridge(gaussian{0.5}, x, column(s.y).view(), o), x), predict(direct, x), 1e-8);
}

TEST(kernel_ridge_cg, says_what_it_cannot_do_and_when_it_was_stopped) {
    const sample s = wave(60, 2, 2);
    const dataset x = dense_data(s.x);
    kernel_ridge_options o;
    o.solver = ridge_solver::cg, o.alpha = 0;
    expect_error(errc::invalid_argument, "solver=cg needs alpha > 0",
                 [&] { fit_kernel_ridge(gaussian{1}, x, column(s.y).view(), o); });
    o.alpha = 1e-6, o.loo = true;
    expect_error(errc::unsupported, "loo needs a decomposition",
                 [&] { fit_kernel_ridge(gaussian{1}, x, column(s.y).view(), o); });
    o.loo = false, o.rank = 1, o.max_products = 3;
    const auto early = fit_kernel_ridge(gaussian{1}, x, column(s.y).view(), o);
    EXPECT_EQ(early.status, fit_status::step_limit);
    EXPECT_GT(early.residual, 1e-10);
}

}  // namespace
}  // namespace mercer
