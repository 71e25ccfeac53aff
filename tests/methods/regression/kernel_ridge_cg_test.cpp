#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

using namespace regression_testing;

// Predictions of the two solvers differ by at most the residual, because K(K + λI)⁻¹ has no eigenvalue above 1.
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
    // With half of K stored the products are the same.
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
    o.loo = false, o.rank = 1, o.max_iter = 3;
    const auto early = fit_kernel_ridge(gaussian{1}, x, column(s.y).view(), o);
    EXPECT_EQ(early.status, fit_status::step_limit);
    EXPECT_GT(early.residual, 1e-10);
}

// ‖y - (K + alpha)a‖/‖y‖ of each output, by the definition.
std::vector<double> residuals_by_definition(const sample& s, double gamma, matrix_view<const double> y,
                                            const std::vector<double>& alphas, const matrix<double>& a) {
    std::vector<double> out;
    for (index c = 0; c < y.cols; ++c) {
        double left = 0, all = 0;
        for (index i = 0; i < y.rows; ++i) {
            double sum = y(i, c) - alphas[static_cast<std::size_t>(c)] * a(i, c);
            for (index j = 0; j < y.rows; ++j) {
                double square = 0;
                for (std::size_t d = 0; d < s.x[0].size(); ++d) {
                    const double apart = s.x[static_cast<std::size_t>(i)][d] - s.x[static_cast<std::size_t>(j)][d];
                    square += apart * apart;
                }
                sum -= std::exp(-gamma * square) * a(j, c);
            }
            left += sum * sum, all += y(i, c) * y(i, c);
        }
        out.push_back(std::sqrt(left / all));
    }
    return out;
}

TEST(kernel_ridge_cg, says_of_every_output_how_it_ended) {
    const sample s = wave(200, 3, 4);
    const dataset x = dense_data(s.x);
    const matrix<double> y = targets(s.y, 2);
    for (const std::vector<double>& alphas : {std::vector<double>{100, 1e-9}, {1e-9, 100}, {1e-9, 1e-9}, {50, 100}}) {
        kernel_ridge_options o;
        o.solver = ridge_solver::cg, o.output_alphas = alphas, o.max_iter = 12, o.rank = 5;
        const kernel_ridge_model model = fit_kernel_ridge(gaussian{0.5}, x, y.view(), o);
        const std::vector<double> left = residuals_by_definition(s, 0.5, y.view(), alphas, model.f.coef);
        bool all = true;
        for (index c = 0; c < 2; ++c) {
            const double residual = left[static_cast<std::size_t>(c)];
            EXPECT_NEAR(model.residuals[static_cast<std::size_t>(c)], residual, 1e-3 * residual + 1e-13);
            EXPECT_EQ(model.output_status(c), residual <= o.tol ? fit_status::converged : fit_status::step_limit);
            EXPECT_EQ(residual <= o.tol, alphas[static_cast<std::size_t>(c)] > 1);
            all = all && residual <= o.tol;
        }
        EXPECT_EQ(model.status, all ? fit_status::converged : fit_status::step_limit);
        EXPECT_EQ(model.residual, std::max(model.residuals[0], model.residuals[1]));
        const auto read =
            model_file<kernel_ridge_model>::parse(model_file<kernel_ridge_model>::bytes(model), "a model");
        EXPECT_EQ(read.residuals, model.residuals);
        EXPECT_EQ(read.output_alphas, alphas);
        EXPECT_EQ(read.output_status(1), model.output_status(1));
    }
}

TEST(kernel_ridge_cg, with_an_alpha_for_each_output_agrees_with_the_decomposition) {
    const sample s = wave(150, 2, 5);
    const dataset x = dense_data(s.x);
    const matrix<double> y = targets(s.y, 2);
    kernel_ridge_options o;
    o.output_alphas = {0.01, 2}, o.tol = 1e-12;
    for (index i = 0; i < x.size(); ++i) o.sample_weight.push_back(static_cast<double>(i % 3));
    const auto direct = fit_kernel_ridge(gaussian{1}, x, y.view(), o);
    EXPECT_EQ(direct.output_alphas, o.output_alphas);
    o.solver = ridge_solver::cg;
    const auto cg = fit_kernel_ridge(gaussian{1}, x, y.view(), o);
    EXPECT_EQ(cg.status, fit_status::converged);
    expect_close(predict(cg, x), predict(direct, x), 1e-9);
    o.solver = ridge_solver::direct, o.variance = true;
    expect_error(errc::unsupported, "kernel ridge: variance needs the same alpha for all",
                 [&] { fit_kernel_ridge(gaussian{1}, x, y.view(), o); });
}

// The negative of a positive definite matrix: no step of conjugate gradients decreases the objective, and none is
// repeated up to the limit.
TEST(kernel_ridge_cg, stops_where_no_direction_has_positive_curvature) {
    matrix<double> K(5, 5), y(5, 1);
    for (index i = 0; i < 5; ++i) K(i, i) = -2, y(i, 0) = 1;
    kernel_ridge_options o;
    o.solver = ridge_solver::cg, o.max_iter = 100;
    const auto model = fit_kernel_ridge_precomputed(K.view(), y.view(), o);
    EXPECT_EQ(model.status, fit_status::stalled);
    EXPECT_LE(model.refinements, 10);
    EXPECT_EQ(model.residual, 1);
}

}  // namespace
}  // namespace mercer
