#include "mercer/methods/regression/kernel_ridge.h"

#include <gtest/gtest.h>

#include "contracts/dense_oracle.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/methods/regression/kernel_ridge_path.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

using namespace regression_testing;

std::vector<double> log_grid(double from, double to, int count) {
    std::vector<double> out;
    for (int i = 0; i < count; ++i) out.push_back(from * std::pow(to / from, static_cast<double>(i) / (count - 1)));
    return out;
}

TEST(kernel_ridge, agrees_with_scikit_learn) {
    for (const json& c : oracle("kernel_ridge")) {
        SCOPED_TRACE(c["data"].get<std::string>() + " " + c["kernel"].get<std::string>());
        const sample s = oracle_sample(c);
        kernel_ridge_options o;
        o.alpha = c["alpha"];
        o.sample_weight = oracle_weights(c, s.size());
        const kernel_ridge_model model = fit_kernel_ridge(kernel::parse(c["kernel"].get<std::string>()),
                                                          dense_data(s.x), targets(s.y, c["outputs"]).view(), o);
        expect_close(predict(model, dense_data(oracle_points(c, s))), c["predicted"], 1e-9);
    }
}

TEST(kernel_ridge, agrees_with_scikit_learns_gaussian_process) {
    for (const json& c : oracle("gaussian_process")) {
        const sample s = oracle_sample(c);
        kernel_ridge_options o;
        o.alpha = c["alpha"];
        o.variance = true;
        const kernel_ridge_model model =
            fit_kernel_ridge(kernel::parse(c["kernel"].get<std::string>()), dense_data(s.x), column(s.y).view(), o);
        const dataset z = dense_data(oracle_points(c, s));
        expect_close(predict(model, z), c["mean"], 1e-9);
        expect_close(column(predict_variance(model, z)), c["variance"], 1e-9);
        const auto plain = predict_variance(model, z), noisy = predict_variance(model, z, true);
        for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(noisy[i], plain[i] + o.alpha, 1e-12);
    }
}

TEST(kernel_ridge, solves_its_equation_on_every_kind_of_object) {
    const sample s = wave(60, 3, 1);
    std::vector<std::string> words;
    std::vector<std::vector<std::int64_t>> bags;
    for (int i = 0; i < 60; ++i) {
        words.push_back(std::string(static_cast<std::size_t>(1 + i % 5), 'a') + "bc" + static_cast<char>('a' + i % 7) +
                        "ca");
        bags.push_back({i % 7, i % 5 + 10, i % 3 + 20});
    }
    struct kind {
        const char* text;
        dataset x;
    };
    const kind kinds[] = {{"rbf(gamma=0.5)", dense_data(s.x)},
                          {"poly(degree=2, gamma=0.5, coef0=1)", sparse_data<float>(s.x)},
                          {"linear() + laplacian(gamma=1)", dense_data<float>(s.x)},
                          {"spectrum(k=2)", strings(words)},
                          {"jaccard()", sets(bags)}};
    for (const auto& each : kinds) {
        SCOPED_TRACE(each.text);
        const kernel k = kernel::parse(each.text);
        kernel_ridge_options o;
        o.alpha = 0.3;
        o.loo = true;
        o.variance = true;
        const matrix<double> y = targets(s.y, 3), K = gram_of(k, each.x);
        const kernel_ridge_model model = fit_kernel_ridge(k, each.x, y.view(), o);
        matrix<double> a = K;
        for (index i = 0; i < 60; ++i) a(i, i) += o.alpha;
        expect_close(model.f.coef, eliminated(a, y), 1e-9);
        expect_close(predict(model, each.x), product(K.view(), transposed::no, model.f.coef.view(), transposed::no),
                     1e-10);
        const kernel_ridge_model other = fit_kernel_ridge_precomputed(K.view(), y.view(), o);
        expect_close(other.f.coef, model.f.coef, 1e-9);
        expect_close(other.loo, model.loo, 1e-9);
        expect_close(predict_precomputed(other, K.view()), predict(model, each.x), 1e-9);
        std::vector<double> self;
        for (index i = 0; i < 60; ++i) self.push_back(K(i, i));
        expect_close(predict_variance_precomputed(other, K.view(), self), predict_variance(model, each.x), 1e-8);

        const kernel_ridge_model back = parse_model<kernel_ridge_model>(model_bytes(model), "m");
        EXPECT_EQ(model_bytes(back), model_bytes(model));
        expect_close(predict(back, each.x), predict(model, each.x), 0);
        expect_close(predict_variance(back, each.x), predict_variance(model, each.x), 0);
        expect_damage_is_noticed(model_bytes(model),
                                 [](const std::string& bytes) { return parse_model<kernel_ridge_model>(bytes, "m"); });
    }
}

TEST(kernel_ridge, left_out_residuals_are_those_of_refits) {
    const sample s = wave(40, 2, 2);
    kernel_ridge_options o;
    o.alpha = 0.2;
    o.loo = true;
    for (index i = 0; i < 40; ++i) o.sample_weight.push_back(0.25 * static_cast<double>(i % 5));
    const kernel_ridge_model model = fit_kernel_ridge(gaussian{1.0}, dense_data(s.x), targets(s.y, 3).view(), o);
    for (std::size_t i = 0; i < 40; ++i) {
        const sample rest = without(s, i);
        kernel_ridge_options other = o;
        other.loo = false;
        other.sample_weight.erase(other.sample_weight.begin() + static_cast<std::ptrdiff_t>(i));
        const kernel_ridge_model refit =
            fit_kernel_ridge(gaussian{1.0}, dense_data(rest.x), targets(rest.y, 3).view(), other);
        const matrix<double> f = predict(refit, dense_data({s.x[i]})), y = targets({s.y[i]}, 3);
        for (index c = 0; c < 3; ++c) EXPECT_NEAR(model.loo(static_cast<index>(i), c), y(0, c) - f(0, c), 1e-10) << i;
    }
}

TEST(kernel_ridge, weights_are_repetitions) {
    const sample s = wave(50, 2, 3);
    const std::vector<int> times = some_times(50);
    const sample more = repeated(s, times);
    kernel_ridge_options o;
    o.alpha = 0.1;
    o.sample_weight.assign(times.begin(), times.end());
    const kernel_ridge_model weighted = fit_kernel_ridge(gaussian{0.7}, dense_data(s.x), column(s.y).view(), o);
    o.sample_weight.clear();
    const kernel_ridge_model plain = fit_kernel_ridge(gaussian{0.7}, dense_data(more.x), column(more.y).view(), o);
    expect_close(predict(weighted, dense_data(s.x)), predict(plain, dense_data(s.x)), 1e-10);
    ridge_path_options path;
    path.alphas = log_grid(0.01, 10, 7);
    const kernel_ridge_path several =
        fit_kernel_ridge_path(gaussian{0.7}, dense_data(more.x), column(more.y).view(), path);
    path.sample_weight.assign(times.begin(), times.end());
    const kernel_ridge_path few = fit_kernel_ridge_path(gaussian{0.7}, dense_data(s.x), column(s.y).view(), path);
    expect_close(few.gcv, several.gcv, 1e-9);
    expect_close(few.df, several.df, 1e-9);
}

// A single fit of a path, and its scores from their definitions.
struct single_fit {
    kernel_ridge_model model;
    double df = 0, gcv = 0, loo = 0;  // gcv is 0 if the degrees of freedom equal the number of examples
};

single_fit fitted_alone(const dataset& x, const matrix<double>& y, const matrix<double>& K, double alpha,
                        const std::vector<double>& weight) {
    const auto w = [&](index i) { return weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)]; };
    single_fit out{
        fit_kernel_ridge(gaussian{0.5}, x, y.view(), {.alpha = alpha, .sample_weight = weight, .loo = true})};
    const matrix<double> f = predict(out.model, x);
    const std::vector<index>& rows = out.model.f.rows;
    const auto m = static_cast<index>(rows.size());
    // df = tr K(K + λW⁻¹)⁻¹
    testing::real_matrix a(m, m), right(m, m);
    for (index i = 0; i < m; ++i)
        for (index j = 0; j < m; ++j) {
            const index r = rows[static_cast<std::size_t>(i)], c = rows[static_cast<std::size_t>(j)];
            a(i, j) = right(i, j) = K(r, c);
            if (i == j) a(i, j) += alpha / w(r);
        }
    out.df = solve_definite(a, right).trace();
    double rss = 0, total = 0;
    for (index i = 0; i < x.size(); ++i) {
        total += w(i);
        for (index c = 0; c < y.cols(); ++c) {
            const double left_out = out.model.loo(i, c);
            rss += w(i) * (y(i, c) - f(i, c)) * (y(i, c) - f(i, c)) / static_cast<double>(y.cols());
            out.loo += w(i) * left_out * left_out / static_cast<double>(y.cols());
        }
    }
    out.loo /= total;
    if (total > out.df * 1.0001) out.gcv = total * rss / ((total - out.df) * (total - out.df));
    return out;
}

// n = 150 uses eigenvectors, 420 the band reduction; both are compared with single fits, with and without weights.
TEST(kernel_ridge, path_is_single_fits) {
    for (const index n : {index{1}, index{2}, index{150}, index{420}})
        for (const bool weighted : {false, true}) {
            const sample s = wave(n, 3, 4);
            ridge_path_options o;
            o.alphas = log_grid(1e-4, 100, 6);
            for (index i = 0; i < n && weighted; ++i) o.sample_weight.push_back(static_cast<double>((i + 1) % 4) * 0.5);
            if (n == 1 && weighted) continue;
            const matrix<double> y = targets(s.y, 3);
            const dataset x = dense_data(s.x);
            const matrix<double> K = gram_of(gaussian{0.5}, x);
            std::vector<single_fit> singles;
            for (const double alpha : o.alphas) singles.push_back(fitted_alone(x, y, K, alpha, o.sample_weight));
            for (const auto score : {ridge_score::gcv, ridge_score::loo}) {
                SCOPED_TRACE(std::to_string(n) + (weighted ? " weighted" : "") +
                             (score == ridge_score::loo ? " loo" : " gcv"));
                o.score = score;
                const kernel_ridge_path path = fit_kernel_ridge_path(gaussian{0.5}, x, y.view(), o);
                for (std::size_t l = 0; l < o.alphas.size(); ++l) {
                    const single_fit& single = singles[l];
                    expect_close(path.coef[l], single.model.f.coef, 1e-8);
                    EXPECT_NEAR(path.df[l], single.df, 1e-8 * single.df);
                    if (single.gcv > 0) {
                        EXPECT_NEAR(path.gcv[l], single.gcv, 1e-6 * path.gcv[l]);
                    }
                    if (score == ridge_score::loo) {
                        EXPECT_NEAR(path.loo[l], single.loo, 1e-8 * single.loo);
                    }
                }
                const auto& scores = score == ridge_score::loo ? path.loo : path.gcv;
                EXPECT_EQ(scores[static_cast<std::size_t>(path.best)], *std::min_element(scores.begin(), scores.end()));
                EXPECT_EQ(path.model.alpha, o.alphas[static_cast<std::size_t>(path.best)]);
                expect_close(path.model.f.coef, path.coef[static_cast<std::size_t>(path.best)], 0);
            }
        }
}

TEST(kernel_ridge, both_scores_find_a_sensible_lambda) {
    const sample s = wave(400, 2, 5);
    ridge_path_options o;
    o.alphas = log_grid(1e-8, 1e4, 25);
    const kernel_ridge_path by_gcv = fit_kernel_ridge_path(gaussian{1.0}, dense_data(s.x), column(s.y).view(), o);
    o.score = ridge_score::loo;
    const kernel_ridge_path by_loo = fit_kernel_ridge_path(gaussian{1.0}, dense_data(s.x), column(s.y).view(), o);
    EXPECT_LE(std::abs(by_gcv.best - by_loo.best), 3);
    // the noise has a standard deviation of 0.2: the error of the best λ is near it, and smaller than at both ends of
    // the path
    EXPECT_LT(by_loo.loo[static_cast<std::size_t>(by_loo.best)], 0.2 * by_loo.loo.back());
}

TEST(kernel_ridge, the_same_bits_for_any_number_of_threads) {
    const sample s = wave(700, 4, 6);
    ridge_path_options o;
    o.alphas = log_grid(1e-3, 10, 9);
    const auto fit = [&] { return fit_kernel_ridge_path(gaussian{0.5}, dense_data(s.x), column(s.y).view(), o); };
    const int before = threads();
    set_threads(1);
    const kernel_ridge_path one = fit();
    const matrix<double> f = predict(one.model, dense_data(s.x));
    set_threads(3);
    const kernel_ridge_path three = fit();
    for (std::size_t l = 0; l < o.alphas.size(); ++l) expect_close(three.coef[l], one.coef[l], 0);
    EXPECT_EQ(three.gcv, one.gcv);
    expect_close(predict(three.model, dense_data(s.x)), f, 0);
    set_threads(before);
}

TEST(kernel_ridge, extremes) {
    const sample s = wave(30, 2, 7);
    const dataset x = dense_data(s.x);
    const matrix<double> y = column(s.y);
    kernel_ridge_options o;
    // λ → 0 interpolates, λ → ∞ predicts the mean
    o.alpha = 1e-10;
    expect_close(predict(fit_kernel_ridge(gaussian{5.0}, x, y.view(), o), x), y, 1e-6);
    o.alpha = 1e12;
    EXPECT_LT(largest(predict(fit_kernel_ridge(gaussian{5.0}, x, y.view(), o), x)), 1e-9);
    // one row
    o.alpha = 0.5;
    const kernel_ridge_model one = fit_kernel_ridge(gaussian{1.0}, dense_data({{1.0, 2.0}}), column({3.0}).view(), o);
    EXPECT_NEAR(one.f.coef(0, 0), 2.0, 1e-14);
    // duplicates with λ = 0 are singular, and an error says so
    o.alpha = 0;
    expect_error(errc::not_psd, "pivot of example 1", [&] {
        fit_kernel_ridge(kernel::parse("linear()"), dense_data({{1.0}, {2.0}, {1.0}}), column({1, 2, 3}).view(), o);
    });
    // the error for an indefinite kernel names the row and possible remedies
    matrix<double> K(2, 2);
    K(0, 0) = 1, K(0, 1) = K(1, 0) = 3, K(1, 1) = 1;
    expect_error(errc::not_psd, "pivot of example 1", [&] {
        fit_kernel_ridge_precomputed(K.view(), column({1, 2}).view(), o);
    });
    expect_error(errc::not_psd, "repair", [&] { fit_kernel_ridge_precomputed(K.view(), column({1, 2}).view(), o); });
    expect_error(errc::not_psd, "larger alpha", [&] {
        fit_kernel_ridge_path_precomputed(K.view(), column({1, 2}).view(), {.alphas = {1.0}, .sample_weight = {}});
    });
    o.alpha = 3;
    EXPECT_NO_THROW(fit_kernel_ridge_precomputed(K.view(), column({1, 2}).view(), o));
}

// Large enough for a factor in float: the result must be that of double, and the same input must be refused.
TEST(kernel_ridge, a_float_factor_changes_nothing) {
    const sample s = wave(1100, 3, 9);
    const dataset x = dense_data(s.x);
    const matrix<double> y = targets(s.y, 2);
    kernel_ridge_options o, in_double;
    in_double.loo = true;  // leave-one-out errors need more than a float factor
    for (const double alpha : {1e3, 1.0, 1e-2, 1e-6, 1e-10}) {
        o.alpha = in_double.alpha = alpha;
        o.sample_weight.assign(1100, 1.0);
        for (std::size_t i = 0; i < 1100; i += 7) o.sample_weight[i] = 0.25;
        in_double.sample_weight = o.sample_weight;
        const kernel_ridge_model fast = fit_kernel_ridge(gaussian{1.0}, x, y.view(), o),
                                 slow = fit_kernel_ridge(gaussian{1.0}, x, y.view(), in_double);
        EXPECT_EQ(slow.refinements, 0);
        if (alpha >= 1e-2) {
            EXPECT_GT(fast.refinements, 0) << alpha;
        }
        // ‖y - (K + λW⁻¹)α‖ <= √n ε‖K + λW⁻¹‖‖α‖ for both
        matrix<double> A = gram_of(gaussian{1.0}, x);
        for (index i = 0; i < 1100; ++i) A(i, i) += alpha / o.sample_weight[static_cast<std::size_t>(i)];
        for (const kernel_ridge_model* m : {&fast, &slow})
            for (index c = 0; c < 2; ++c) {
                double rest = 0, norm = 0, most = 0;
                for (index i = 0; i < 1100; ++i) {
                    double sum = y(i, c), row = 0;
                    for (index j = 0; j < 1100; ++j) sum -= A(i, j) * m->f.coef(j, c), row += std::abs(A(i, j));
                    rest = std::max(rest, std::abs(sum)), norm = std::max(norm, row),
                    most = std::max(most, std::abs(m->f.coef(i, c)));
                }
                EXPECT_LE(rest, 2 * std::sqrt(1100.0) * 1.2e-16 * norm * most) << alpha;
            }
    }
    // singular for λ = 0: the error names the row
    o.alpha = 0, o.sample_weight.clear();
    expect_error(errc::not_psd, "pivot of example",
                 [&] { fit_kernel_ridge(kernel::parse("linear()"), x, y.view(), o); });
}

}  // namespace
}  // namespace mercer
