#include "mercer/methods/svm/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "contracts/property.h"
#include "mercer/methods/svm/calibrated_fit.h"
#include "mercer/methods/svm/cross_validation.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;

TEST(calibration, sigmoid_is_stationary) {
    // d/dA and d/dB of the regularised likelihood must vanish: Σ f (t - p) = 0, Σ (t - p) = 0.
    std::vector<double> f;
    std::vector<std::uint8_t> positive;
    const auto random = make_random_below(5);
    for (int i = 0; i < 500; ++i) {
        const double value = static_cast<double>(random(2001)) / 500 - 2;
        f.push_back(value);
        positive.push_back(static_cast<double>(random(1000)) / 1000 < 1 / (1 + std::exp(-3 * value + 0.5)));
    }
    const auto [A, B] = fit_sigmoid(f, positive);
    const double n1 = std::accumulate(positive.begin(), positive.end(), 0.0), n2 = 500 - n1;
    double gA = 0, gB = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double t = positive[i] ? (n1 + 1) / (n1 + 2) : 1 / (n2 + 2), p = 1 / (1 + std::exp(A * f[i] + B));
        gA += f[i] * (t - p), gB += t - p;
    }
    EXPECT_NEAR(gA, 0, 1e-4);
    EXPECT_NEAR(gB, 0, 1e-4);
    EXPECT_NEAR(A, -3, 0.6);  // the parameters that generated the labels, up to sampling error
    EXPECT_NEAR(B, 0.5, 0.4);
}

TEST(calibration, weight_two_is_twice) {
    const std::vector<double> f{-2, -1, -0.5, 0.2, 0.4, 1, 2}, twice{-2, -1, -0.5, 0.2, 0.4, 0.4, 1, 2},
        weight{1, 1, 1, 1, 2, 1, 1};
    const std::vector<std::uint8_t> y{0, 0, 1, 0, 1, 1, 1}, y2{0, 0, 1, 0, 1, 1, 1, 1};
    const auto a = fit_sigmoid(f, y, weight), b = fit_sigmoid(twice, y2);
    EXPECT_NEAR(a.first, b.first, 1e-9);
    EXPECT_NEAR(a.second, b.second, 1e-9);
    EXPECT_EQ(fit_isotonic(f, y, weight), fit_isotonic(twice, y2));
}

TEST(calibration, separable_labels_stay_finite) {
    const auto [A, B] = fit_sigmoid(std::vector<double>{-1, -1, 1, 1}, std::vector<std::uint8_t>{0, 0, 1, 1});
    EXPECT_TRUE(std::isfinite(A) && std::isfinite(B));
    EXPECT_LT(A, 0);
}

TEST(calibration, isotonic_by_hand) {
    // 0 | 1 0 pooled to ½ | 1
    const auto [knots, values] = fit_isotonic(std::vector<double>{1, 2, 3, 4}, std::vector<std::uint8_t>{0, 1, 0, 1});
    EXPECT_EQ(knots, (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(values, (std::vector<double>{0, 0.5, 0.5, 1}));
    calibration c;
    c.kind = calibration::method::isotonic;
    c.knots = {knots}, c.values = {values};
    EXPECT_DOUBLE_EQ(c(0, 1.5), 0.25);
    EXPECT_DOUBLE_EQ(c(0, 2.7), 0.5);
    EXPECT_DOUBLE_EQ(c(0, -9), 1e-7);
    EXPECT_DOUBLE_EQ(c(0, 9), 1 - 1e-7);
}

PROPERTY(calibration, isotonic_is_nearest) {
    const auto points = arbitrary::any<std::vector<std::pair<std::uint8_t, bool>>>();
    arbitrary::require_precondition(!points.empty());
    std::vector<double> f;
    std::vector<std::uint8_t> y;
    for (const auto& [value, label] : points) f.push_back(value), y.push_back(label);
    const auto [knots, values] = fit_isotonic(f, y);
    MUST_HOLD(std::is_sorted(values.begin(), values.end()));
    MUST_HOLD(std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()) == knots.end());
    // the minimax formula: g(x) = max over a <= x of min over b >= x of the mean of the labels with a <= f <= b
    calibration c;
    c.kind = calibration::method::isotonic;
    c.knots = {knots}, c.values = {values};
    for (const double x : f) {
        double best = 0;
        for (const double a : f) {
            if (a > x) continue;
            double least = 1;
            for (const double b : f) {
                if (b < x) continue;
                double sum = 0, count = 0;
                for (std::size_t i = 0; i < f.size(); ++i)
                    if (f[i] >= a && f[i] <= b) sum += y[i], ++count;
                least = std::min(least, sum / count);
            }
            best = std::max(best, least);
        }
        MUST_HOLD(std::abs(c(0, x) - best) < 1e-6);
    }
}

TEST(calibration, coupling_recovers_consistent_probabilities) {
    const std::vector<double> p{0.5, 0.2, 0.2, 0.1};
    matrix<double> r(4, 4);
    for (index i = 0; i < 4; ++i)
        for (index j = 0; j < 4; ++j)
            r(i, j) =
                p[static_cast<std::size_t>(i)] / (p[static_cast<std::size_t>(i)] + p[static_cast<std::size_t>(j)]);
    const auto got = couple_probabilities(r.view());
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i], p[i], 0.01);
    EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0), 1, 1e-12);
}

TEST(calibration, laplace_scale_leaves_outliers_out) {
    std::vector<double> residuals(100, 1.0);
    for (std::size_t i = 0; i < residuals.size(); i += 2) residuals[i] = -1;
    EXPECT_DOUBLE_EQ(laplace_scale(residuals), 1);
    residuals.push_back(1000);  // mean size about 10.9, limit 77
    EXPECT_DOUBLE_EQ(laplace_scale(residuals), 1);
}

// Inner fits that did not converge must be reported.
TEST(calibration, tells_of_fits_that_did_not_converge) {
    const table data = sample("heart_scale.svm");
    const kernel k = gaussian{0.1};
    svm_options options;
    svm_model model = fit_svm(k, data.x, data.y, options);
    options.max_steps = 1;
    const inner_fits cut = calibrate(model, k, data.x, data.y, options);
    EXPECT_EQ(cut.fits, 5);
    EXPECT_EQ(cut.unfinished, 5);
    EXPECT_EQ(cut.worst, fit_status::step_limit);
    EXPECT_GT(cut.worst_gap, options.tol);
    EXPECT_THAT(cut.warning(), ::testing::HasSubstr("5 of 5 fits did not converge"));
    options.max_steps = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(calibrate(model, k, data.x, data.y, options).warning(), "");
}

class calibrated : public ::testing::TestWithParam<std::tuple<std::string, calibration::method, multiclass>> {};

TEST_P(calibrated, largest_probability_is_the_prediction) {
    const auto [file, method, scheme] = GetParam();
    const table data = sample(file);
    const kernel k = gaussian{1.0 / static_cast<double>(data.x.dims())};
    svm_options options;
    options.classes = scheme;
    svm_model model = fit_svm(k, data.x, data.y, options);
    EXPECT_EQ(calibrate(model, k, data.x, data.y, options, method).unfinished, 0);
    const matrix<double> f = decide(model, data.x, arithmetic::exact);
    const matrix<double> p = predict_probability(model, f.view()), raw = coupled_probabilities(model, f.view());
    const auto labels = predict(model, f.view());
    double likelihood = 0;
    for (index i = 0; i < p.rows(); ++i) {
        const double* row = p.row(i);
        const auto best = std::max_element(row, row + p.cols()) - row;
        ASSERT_EQ(model.classes[static_cast<std::size_t>(best)], labels[static_cast<std::size_t>(i)]);
        ASSERT_NEAR(std::accumulate(row, row + p.cols(), 0.0), 1, 1e-9);
        ASSERT_GE(*std::min_element(row, row + p.cols()), 0);
        // rows that were consistent before are unchanged
        if (std::max_element(raw.row(i), raw.row(i) + p.cols()) - raw.row(i) == best) {
            for (index c = 0; c < p.cols(); ++c) ASSERT_EQ(p(i, c), raw(i, c));
        }
        const auto truth = std::find(model.classes.begin(), model.classes.end(), data.y[static_cast<std::size_t>(i)]) -
                           model.classes.begin();
        likelihood += std::log(row[truth]) / static_cast<double>(p.rows());
    }
    EXPECT_GT(likelihood, std::log(1.0 / static_cast<double>(p.cols())));  // better than the uniform distribution
}

INSTANTIATE_TEST_SUITE_P(calibration, calibrated,
                         ::testing::Combine(::testing::Values("iris.svm", "heart_scale.svm", "sonar.svm"),
                                            ::testing::Values(calibration::method::sigmoid,
                                                              calibration::method::isotonic),
                                            ::testing::Values(multiclass::one_vs_one, multiclass::one_vs_rest)));

TEST(calibration, disagreement_gives_the_nearest_distribution) {
    // The sigmoid gives 0.7 for the first class, the sign of f the second: the nearest consistent value is (½, ½).
    svm_model model;
    model.classes = {1, 2};
    model.probability = calibration{.kind = calibration::method::sigmoid,
                                    .A = {0},
                                    .B = {-std::log(7.0 / 3)},
                                    .knots = {},
                                    .values = {},
                                    .sigma = 0};
    model.offset = {0};
    const matrix<double> f = plain_matrix({{-1.0}, {1.0}});
    const matrix<double> p = predict_probability(model, f.view());
    EXPECT_NEAR(p(0, 0), 0.5, 1e-9);
    EXPECT_GT(p(0, 1), p(0, 0));
    EXPECT_NEAR(p(1, 0), 0.7, 1e-12);
}

TEST(calibration, same_seed_same_numbers_and_precomputed_agrees) {
    const table data = sample("heart_scale.svm");
    const kernel k = gaussian{0.1};
    const svm_options options;
    svm_model a = fit_svm(k, data.x, data.y, options), b = a, c = a;
    EXPECT_EQ(calibrate(a, k, data.x, data.y, options, calibration::method::sigmoid, 5, 7).unfinished, 0);
    EXPECT_EQ(calibrate(b, k, data.x, data.y, options, calibration::method::sigmoid, 5, 7).unfinished, 0);
    EXPECT_EQ(a.probability->A, b.probability->A);
    matrix<double> K(data.x.size(), data.x.size());
    evaluator<double>(k, data.x).fill(K.view());
    EXPECT_EQ(calibrate_precomputed(c, K.view(), data.y, options, calibration::method::sigmoid, 5, 7).unfinished, 0);
    EXPECT_NEAR(a.probability->A[0], c.probability->A[0], 1e-2 * std::abs(a.probability->A[0]));
}

TEST(calibration, regression_and_refusals) {
    const table data = sample("housing.svm");
    const kernel k = gaussian{1e-4};
    svm_options options;
    options.task = svm_task::epsilon_svr;
    options.C = 10;
    svm_model model = fit_svm(k, data.x, data.y, options);
    EXPECT_EQ(calibrate(model, k, data.x, data.y, options).unfinished, 0);
    EXPECT_GT(model.probability->sigma, 0.5);
    EXPECT_LT(model.probability->sigma, 10);  // the mean absolute deviation of the targets is about 6.6
    EXPECT_THAT(failure([&] { coupled_probabilities(model, decide(model, data.x).view()); }),
                ::testing::HasSubstr("classifier"));
    options.task = svm_task::one_class;
    svm_model one = fit_svm(k, data.x, data.y, options);
    EXPECT_THAT(failure([&] { static_cast<void>(calibrate(one, k, data.x, data.y, options)); }),
                ::testing::HasSubstr("one-class"));
}

// An example of weight 0 has no effect: it is in no fold and in no sum.
TEST(calibration, examples_without_weight_are_absent) {
    for (const auto task : {svm_task::c_svc, svm_task::epsilon_svr}) {
        const table data = sample(task == svm_task::c_svc ? "heart_scale.svm" : "housing.svm");
        const kernel k = gaussian{task == svm_task::c_svc ? 0.1 : 1e-4};
        svm_options all, part;
        all.task = part.task = task;
        all.tol = part.tol = 1e-8;
        std::vector<index> present;
        std::vector<double> y = data.y, seen;
        for (index i = 0; i < data.x.size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            all.sample_weight.push_back(i % 3 == 0 ? 0 : 1 + 0.1 * static_cast<double>(i % 5));
            if (i % 3 == 0) {
                y[at] = i % 2 ? 77 : 1;  // also an example with a class of its own
                continue;
            }
            present.push_back(i), seen.push_back(y[at]), part.sample_weight.push_back(all.sample_weight.back());
        }
        const dataset x = gather(data.x, std::span<const index>(present));
        for (const bool canonical_order : {false, true}) {
            all.canonical_order = part.canonical_order = canonical_order;
            svm_model a = fit_svm(k, data.x, y, all), b = fit_svm(k, x, seen, part);
            EXPECT_EQ(calibrate(a, k, data.x, y, all).unfinished, 0);
            EXPECT_EQ(calibrate(b, k, x, seen, part).unfinished, 0);
            EXPECT_NEAR(a.probability->sigma, b.probability->sigma, 1e-5 * b.probability->sigma);
            ASSERT_EQ(a.probability->A.size(), b.probability->A.size());
            for (std::size_t p = 0; p < a.probability->A.size(); ++p)
                EXPECT_NEAR(a.probability->A[p], b.probability->A[p], 1e-5 * std::abs(b.probability->A[p]));
        }
    }
}

TEST(calibration, a_class_with_one_example) {
    table data = sample("iris.svm");
    data.y.back() = 9;  // all folds except one are fitted with it
    const kernel k = gaussian{0.25};
    for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
        svm_options options;
        options.classes = scheme;
        svm_model model = fit_svm(k, data.x, data.y, options);
        EXPECT_EQ(calibrate(model, k, data.x, data.y, options).unfinished, 0);
        for (const double A : model.probability->A) EXPECT_TRUE(std::isfinite(A));
    }
}

}  // namespace
}  // namespace mercer
