#include "mercer/methods/regression/ridge.h"

#include <gtest/gtest.h>

#include "mercer/data/all_kinds.h"
#include "mercer/kernels/vectors/linear.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

using namespace regression_testing;

TEST(ridge, agrees_with_scikit_learn) {
    for (const json& c : oracle("ridge"))
        for (const auto form : {ridge_form::automatic, ridge_form::primal, ridge_form::dual})
            for (const bool is_sparse : {false, true}) {
                SCOPED_TRACE(c.dump().substr(0, 120));
                const sample s = oracle_sample(c);
                ridge_options o;
                o.alpha = c["alpha"];
                o.fit_intercept = c["intercept"];
                o.form = form;
                o.sample_weight = oracle_weights(c, s.size());
                const ridge_model model =
                    fit_ridge(is_sparse ? sparse_data(s.x) : dense_data(s.x), targets(s.y, c["outputs"]).view(), o);
                matrix<double> turned(model.outputs(), model.dims());
                for (index r = 0; r < turned.rows(); ++r)
                    for (index k = 0; k < turned.cols(); ++k) turned(r, k) = model.coef(k, r);
                expect_close(turned, c["coef"], 1e-9);
                expect_close(column(model.intercept), c["offset"], 1e-9);
            }
}

TEST(ridge, path_agrees_with_scikit_learn) {
    for (const json& c : oracle("ridge_path"))
        for (const auto form : {ridge_form::primal, ridge_form::dual}) {
            const sample s = oracle_sample(c);
            ridge_options o;
            o.fit_intercept = c["intercept"];
            o.form = form;
            const ridge_path path =
                fit_ridge_path(dense_data(s.x), column(s.y).view(), c["alphas"], ridge_score::loo, o);
            expect_close(column(path.loo), c["loo"], 1e-8);
            EXPECT_EQ(path.alphas[static_cast<std::size_t>(path.best)], c["best"].get<double>());
        }
}

TEST(ridge, primal_is_dual_is_a_linear_kernel) {
    for (const auto& [n, d] : {std::pair<index, index>{80, 5}, {20, 60}, {1, 3}, {30, 1}})
        for (const bool intercept : {true, false}) {
            const sample s = wave(n, d, 11);
            const matrix<double> y = targets(s.y, 3);
            ridge_options o;
            o.alpha = 0.3;
            o.fit_intercept = intercept;
            for (index i = 0; i < n && n > 1; ++i) o.sample_weight.push_back(0.3 * static_cast<double>(i % 3 + 1));
            std::vector<matrix<double>> found;
            for (const auto form : {ridge_form::primal, ridge_form::dual})
                for (const dataset& x : {dense_data(s.x), sparse_data(s.x)}) {
                    o.form = form;
                    const ridge_model model = fit_ridge(x, y.view(), o);
                    EXPECT_EQ(model.form, form);
                    found.push_back(predict(model, x));
                }
            for (const auto& each : found) expect_close(each, found[0], 1e-10);
            o.form = ridge_form::automatic;
            EXPECT_EQ(fit_ridge(dense_data(s.x), y.view(), o).form, d <= n ? ridge_form::primal : ridge_form::dual);
            if (intercept) continue;
            kernel_ridge_options k;
            k.alpha = o.alpha;
            k.sample_weight = o.sample_weight;
            expect_close(predict(fit_kernel_ridge(linear{}, dense_data(s.x), y.view(), k), dense_data(s.x)), found[0],
                         1e-10);
        }
}

TEST(ridge, left_out_residuals_are_those_of_refits) {
    const sample s = wave(25, 4, 12);
    const std::vector<double> alphas{0.01, 0.5, 20};
    for (const bool intercept : {true, false})
        for (const auto form : {ridge_form::primal, ridge_form::dual}) {
            ridge_options o;
            o.fit_intercept = intercept;
            o.form = form;
            for (index i = 0; i < 25; ++i) o.sample_weight.push_back(0.5 * static_cast<double>(i % 3));
            const ridge_path path = fit_ridge_path(dense_data(s.x), column(s.y).view(), alphas, ridge_score::loo, o);
            for (std::size_t l = 0; l < alphas.size(); ++l) {
                double sum = 0, total = 0;
                for (std::size_t i = 0; i < 25; ++i) {
                    const sample rest = without(s, i);
                    ridge_options other = o;
                    other.alpha = alphas[l];
                    other.sample_weight.erase(other.sample_weight.begin() + static_cast<std::ptrdiff_t>(i));
                    const double f = predict(fit_ridge(dense_data(rest.x), column(rest.y).view(), other),
                                             dense_data({s.x[i]}))(0, 0);
                    sum += o.sample_weight[i] * (s.y[i] - f) * (s.y[i] - f), total += o.sample_weight[i];
                }
                EXPECT_NEAR(path.loo[l], sum / total, 1e-10 * path.loo[l]);
                ridge_options single = o;
                single.alpha = alphas[l];
                const ridge_model model = fit_ridge(dense_data(s.x), column(s.y).view(), single);
                expect_close(path.models[l].coef, model.coef, 1e-9);
                expect_close(path.models[l].intercept, model.intercept, 1e-9);
            }
        }
}

TEST(ridge, weights_are_repetitions) {
    const sample s = wave(40, 3, 13);
    const std::vector<int> times = some_times(40);
    const sample more = repeated(s, times);
    ridge_options o;
    const ridge_path plain = fit_ridge_path(dense_data(more.x), column(more.y).view(), {0.1, 3}, ridge_score::gcv, o);
    o.sample_weight.assign(times.begin(), times.end());
    const ridge_path weighted = fit_ridge_path(dense_data(s.x), column(s.y).view(), {0.1, 3}, ridge_score::gcv, o);
    for (std::size_t l = 0; l < 2; ++l) expect_close(weighted.models[l].coef, plain.models[l].coef, 1e-10);
    expect_close(weighted.gcv, plain.gcv, 1e-10);
    expect_close(weighted.df, plain.df, 1e-10);
}

// The offset compensates any shift of x and y, also one that is a million times the spread if the rows are dense.
TEST(ridge, does_not_mind_a_shift) {
    sample s = wave(50, 3, 14);
    const ridge_model model = fit_ridge(dense_data(s.x), column(s.y).view());
    for (auto& x : s.x) x[1] += 1e6;
    for (double& y : s.y) y += 1e6;
    const ridge_model moved = fit_ridge(dense_data(s.x), column(s.y).view());
    expect_close(moved.coef, model.coef, 1e-8);
}

TEST(ridge, files_and_faults) {
    const sample s = wave(20, 3, 15);
    const dataset x = dense_data(s.x);
    const matrix<double> y = targets(s.y, 3);
    const ridge_model model = fit_ridge(x, y.view());
    const ridge_model back = parse_model<ridge_model>(model_bytes(model), "m");
    expect_close(predict(back, x), predict(model, x), 0);
    EXPECT_EQ(model_bytes(back), model_bytes(model));
    expect_damage_is_noticed(model_bytes(model),
                             [](const std::string& bytes) { return parse_model<ridge_model>(bytes, "m"); });
    const testing_support::scratch_folder folder;
    save_model(model, folder.path("m"));
    expect_close(predict(load_model<ridge_model>(folder.path("m")), x), predict(model, x), 0);

    expect_error(errc::invalid_argument, "alpha < infinity, got -1",
                 [&] { fit_ridge(x, y.view(), {.alpha = -1, .sample_weight = {}}); });
    expect_error(errc::unsupported, "vectors", [&] { fit_ridge(strings({"a", "b"}), column({1, 2}).view()); });
    expect_error(errc::data, "no examples", [&] { fit_ridge(dense_data({}), matrix<double>(0, 1).view()); });
    expect_error(errc::memory, "bytes", [&] { fit_ridge(x, y.view(), {.sample_weight = {}, .memory_bytes = 100}); });
    expect_error(errc::invalid_argument, "3 features, got 2", [&] { predict(model, dense_data({{1.0, 2.0}})); });
    expect_error(errc::not_psd, "larger alpha", [&] {
        fit_ridge(dense_data({{1.0, 1.0}, {2.0, 2.0}}), column({1, 2}).view(),
                  {.alpha = 0, .form = ridge_form::primal, .sample_weight = {}});
    });
    matrix<double> bad(1, 1);
    bad(0, 0) = std::nan("");
    expect_error(errc::data, "", [&] { fit_ridge(dense<double>(bad), column({1}).view()); });
    // huge λ: the mean; a column that never changes has coefficient 0
    const ridge_model flat = fit_ridge(x, column(s.y).view(), {.alpha = 1e15, .sample_weight = {}});
    double mean = 0;
    for (const double v : s.y) mean += v / 20;
    EXPECT_NEAR(predict(flat, x)(3, 0), mean, 1e-10);
    EXPECT_NEAR(fit_ridge(dense_data({{5.0}, {5.0}, {5.0}}), column({1, 2, 3}).view()).coef(0, 0), 0, 1e-12);
}

}  // namespace
}  // namespace mercer
