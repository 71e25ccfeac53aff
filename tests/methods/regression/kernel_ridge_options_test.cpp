#include <gtest/gtest.h>

#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/regression/kernel_ridge_path.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

using namespace regression_testing;

TEST(kernel_ridge, says_how_far_it_is_and_stops) {
    const index n = 1300;
    matrix<double> points(n, 2), y(n, 1);
    for (index i = 0; i < n; ++i)
        points(i, 0) = std::sin(static_cast<double>(i)), points(i, 1) = std::cos(3.0 * static_cast<double>(i)),
                  y(i, 0) = points(i, 0);
    const dataset x = dense<double>(points);
    std::vector<std::string> phases;
    kernel_ridge_options o;
    ridge_path_options path;
    path.alphas = {0.1, 1};
    path.score = ridge_score::loo;
    o.progress = path.progress = [&](const fit_progress& now) {
        EXPECT_LE(now.done, now.total);
        if (phases.empty() || phases.back() != now.phase) phases.push_back(now.phase);
        return true;
    };
    const kernel_ridge_model watched = fit_kernel_ridge(gaussian{1.0}, x, y.view(), o);
    EXPECT_EQ(phases, (std::vector<std::string>{"kernel matrix", "Cholesky decomposition"}));
    expect_close(watched.f.coef, fit_kernel_ridge(gaussian{1.0}, x, y.view()).f.coef, 0);
    phases.clear();
    fit_kernel_ridge_path(gaussian{1.0}, x, y.view(), path);
    EXPECT_EQ(phases, (std::vector<std::string>{"kernel matrix", "reduction to a band", "path", "leave-one-out"}));
    // There is no solution before the end of the computation.
    for (const std::string last : {"kernel matrix", "Cholesky decomposition", "reduction to a band", "leave-one-out"}) {
        o.progress = path.progress = [&](const fit_progress& now) { return now.phase != last; };
        expect_error(errc::cancelled, "stopped by the caller before there was a model", [&] {
            fit_kernel_ridge_path(gaussian{1.0}, x, y.view(), path);
            fit_kernel_ridge(gaussian{1.0}, x, y.view(), o);
        });
    }
}

TEST(kernel_ridge, refuses_what_it_cannot_take) {
    const sample s = wave(10, 2, 8);
    const dataset x = dense_data(s.x);
    const matrix<double> y = column(s.y);
    const auto fit = [&](kernel_ridge_options o) { return fit_kernel_ridge(gaussian{1.0}, x, y.view(), o); };
    expect_error(errc::invalid_argument, "0 <= alpha < infinity, got -1",
                 [&] { fit({.alpha = -1, .sample_weight = {}}); });
    expect_error(errc::invalid_argument, "alpha", [&] { fit({.alpha = std::nan(""), .sample_weight = {}}); });
    expect_error(errc::invalid_argument, "10 examples but 3 sample weights", [&] {
        fit({.sample_weight = {1, 2, 3}});
    });
    expect_error(errc::data, "sample weight 4", [&] { fit({.sample_weight = {1, 1, 1, 1, -2, 1, 1, 1, 1, 1}}); });
    expect_error(errc::data, "all sample weights are zero", [&] { fit({.sample_weight = std::vector<double>(10)}); });
    expect_error(errc::memory, "1680 bytes", [&] { fit({.sample_weight = {}, .memory_bytes = 1000}); });
    expect_error(errc::data, "no examples",
                 [&] { fit_kernel_ridge(gaussian{1.0}, dense_data({}), matrix<double>(0, 1).view()); });
    expect_error(errc::invalid_argument, "10 examples but 2 rows of targets", [&] {
        fit_kernel_ridge(gaussian{1.0}, x, column({1, 2}).view());
    });
    matrix<double> bad = y;
    bad(3, 0) = std::nan("");
    expect_error(errc::data, "target 3", [&] { fit_kernel_ridge(gaussian{1.0}, x, bad.view()); });
    expect_error(errc::invalid_argument, "at least one alpha",
                 [&] { fit_kernel_ridge_path(gaussian{1.0}, x, y.view(), {}); });
    matrix<double> K = gram_of(gaussian{1.0}, x);
    K(2, 5) += 0.5;
    expect_error(errc::invalid_argument, "symmetric", [&] { fit_kernel_ridge_precomputed(K.view(), y.view()); });
    expect_error(errc::unsupported, "variance=true", [&] { predict_variance(fit({}), x); });
    expect_error(errc::invalid_argument, "2 features, got 3", [&] { predict(fit({}), dense_data({{1.0, 2.0, 3.0}})); });
    expect_error(errc::unsupported, "kernel values",
                 [&] { predict(fit_kernel_ridge_precomputed(gram_of(gaussian{1.0}, x).view(), y.view()), x); });
    EXPECT_EQ(predict(fit({}), gather(x, row_set(0, 0))).rows(), 0);
    const testing_support::scratch_folder folder;
    save_model(fit({}), folder.path("m"));
    expect_close(predict(load_model<kernel_ridge_model>(folder.path("m")), x), predict(fit({}), x), 0);
}

TEST(kernel_ridge, each_output_may_have_a_penalty_of_its_own) {
    const matrix<double> x = [] {
        matrix<double> out(30, 1);
        for (index i = 0; i < 30; ++i) out(i, 0) = 0.1 * static_cast<double>(i);
        return out;
    }();
    matrix<double> y(30, 2);
    for (index i = 0; i < 30; ++i) y(i, 0) = std::sin(x(i, 0)), y(i, 1) = x(i, 0) * x(i, 0);
    const kernel k = kernel::parse("rbf(gamma=1)");
    const dataset objects = dense<double>(matrix<double>(x));
    kernel_ridge_options o;
    o.output_alphas = {0.1, 3};
    o.loo = true;
    const kernel_ridge_model both = fit_kernel_ridge(k, objects, y.view(), o);
    for (index c = 0; c < 2; ++c) {
        kernel_ridge_options one;
        one.alpha = o.output_alphas[static_cast<std::size_t>(c)];
        one.loo = true;
        const kernel_ridge_model alone = fit_kernel_ridge(k, objects, y.view().block(0, c, 30, 1), one);
        for (index i = 0; i < 30; ++i) {
            EXPECT_EQ(both.f.coef(i, c), alone.f.coef(i, 0));
            EXPECT_EQ(both.loo(i, c), alone.loo(i, 0));
        }
    }
    o.output_alphas = {0.1, 3, 1};
    expect_error(errc::invalid_argument, "3 values for 2 targets", [&] { fit_kernel_ridge(k, objects, y.view(), o); });
}

}  // namespace
}  // namespace mercer
