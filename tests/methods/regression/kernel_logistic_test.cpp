#include "mercer/methods/regression/kernel_logistic.h"

#include <gtest/gtest.h>

#include "mercer/data/all_kinds.h"
#include "mercer/io/read.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

using namespace regression_testing;

TEST(kernel_logistic, agrees_with_scikit_learn) {
    for (const json& c : oracle("logistic")) {
        SCOPED_TRACE(c["data"].get<std::string>() + " " + c["kernel"].get<std::string>());
        const sample s = oracle_sample(c);
        kernel_logistic_options o;
        o.C = c["C"];
        o.fit_intercept = c["intercept"];
        o.tol = 1e-11;
        o.sample_weight = oracle_weights(c, s.size());
        for (const json& each : c["class_weight"]) o.class_weight.emplace_back(each[0], each[1]);
        const kernel_logistic_model model =
            fit_kernel_logistic(kernel::parse(c["kernel"].get<std::string>()), dense_data(s.x), s.y, o);
        EXPECT_EQ(model.status, fit_status::converged) << model.gap << " of " << model.objective;
        expect_close(probabilities(model, decide(model, dense_data(oracle_points(c, s))).view()), c["probabilities"],
                     2e-5);
    }
}

TEST(kernel_logistic, probabilities_and_classes_belong_together) {
    for (const char* file : {"iris.svm", "heart_scale.svm"}) {
        const sample s = standardised(load(file));
        const dataset x = dense_data(s.x);
        const kernel_logistic_model model = fit_kernel_logistic(gaussian{0.1}, x, s.y);
        const matrix<double> p = probabilities(model, decide(model, x).view());
        const std::vector<double> label = predict(model, x);
        double right = 0;
        for (index i = 0; i < p.rows(); ++i) {
            double sum = 0;
            for (index c = 0; c < p.cols(); ++c) sum += p(i, c);
            EXPECT_NEAR(sum, 1, 1e-14);
            EXPECT_EQ(
                label[static_cast<std::size_t>(i)],
                model.classes[static_cast<std::size_t>(std::max_element(p.row(i), p.row(i) + p.cols()) - p.row(i))]);
            right += label[static_cast<std::size_t>(i)] == s.y[static_cast<std::size_t>(i)];
        }
        EXPECT_GT(right, 0.8 * static_cast<double>(p.rows()));
    }
}

// With an offset the probabilities of the training examples sum to the number of examples of each class.
TEST(kernel_logistic, is_calibrated_in_the_mean) {
    for (const char* file : {"wine.svm", "sonar.svm"}) {
        const sample s = standardised(load(file));
        kernel_logistic_options o;
        o.tol = 1e-12;
        const kernel_logistic_model model = fit_kernel_logistic(gaussian{0.05}, dense_data(s.x), s.y, o);
        const matrix<double> p = probabilities(model, decide(model, dense_data(s.x)).view());
        for (index c = 0; c < p.cols(); ++c) {
            double sum = 0, count = 0;
            for (index i = 0; i < p.rows(); ++i)
                sum += p(i, c), count += s.y[static_cast<std::size_t>(i)] == model.classes[static_cast<std::size_t>(c)];
            EXPECT_NEAR(sum, count, 1e-6 * count) << file;
        }
    }
}

TEST(kernel_logistic, weights_are_repetitions) {
    for (const int classes : {2, 3}) {
        sample s = wave(60, 2, 31);
        for (double& y : s.y) y = classes == 2 ? (y > 0 ? 5 : 2) : (y > 0.5 ? 5 : y > -0.5 ? 2 : -7);
        const std::vector<int> times = some_times(60);
        const sample more = repeated(s, times);
        kernel_logistic_options o;
        o.tol = 1e-12;
        const kernel_logistic_model plain = fit_kernel_logistic(gaussian{0.5}, dense_data(more.x), more.y, o);
        o.sample_weight.assign(times.begin(), times.end());
        const kernel_logistic_model weighted = fit_kernel_logistic(gaussian{0.5}, dense_data(s.x), s.y, o);
        expect_close(decide(weighted, dense_data(s.x)), decide(plain, dense_data(s.x)), 1e-5);
        EXPECT_NEAR(weighted.objective, plain.objective, 1e-10 * plain.objective);
        EXPECT_EQ(weighted.classes, plain.classes);
    }
}

TEST(kernel_logistic, strings_sets_sparse_and_precomputed) {
    const table words = read_table(data_file("promoters.tsv"));
    std::vector<std::vector<std::int64_t>> bags;
    std::vector<double> three;
    for (int i = 0; i < 60; ++i) bags.push_back({i % 7, i % 5 + 10, i % 3 + 20}), three.push_back(i % 3);
    const sample s = standardised(load("iris.svm"));
    struct kind {
        const char* text;
        dataset x;
        std::vector<double> y;
    };
    for (const kind& each : {kind{"normalize(spectrum(k=3))", words.x, words.y}, kind{"jaccard()", sets(bags), three},
                             kind{"rbf(gamma=0.2)", sparse_data(s.x), s.y}}) {
        SCOPED_TRACE(each.text);
        const kernel k = kernel::parse(each.text);
        const kernel_logistic_model model = fit_kernel_logistic(k, each.x, each.y);
        EXPECT_EQ(model.status, fit_status::converged);
        const matrix<double> K = gram_of(k, each.x);
        const kernel_logistic_model other = fit_kernel_logistic_precomputed(K.view(), each.y);
        expect_close(decide_precomputed(other, K.view()), decide(model, each.x), 1e-6);
        // the kernel matrix need not be stored
        kernel_logistic_options o;
        o.memory_bytes = 1000;
        expect_close(decide(fit_kernel_logistic(k, each.x, each.y, o), each.x), decide(model, each.x), 1e-2);
        const kernel_logistic_model back = parse_model<kernel_logistic_model>(model_bytes(model), "m");
        EXPECT_EQ(model_bytes(back), model_bytes(model));
        expect_close(decide(back, each.x), decide(model, each.x), 0);
        EXPECT_EQ(predict(back, each.x), predict(model, each.x));
    }
    const kernel_logistic_model small =
        fit_kernel_logistic(gaussian{1.0}, dense_data({{0.0}, {1.0}, {2.0}}), std::vector<double>{0, 1, 0});
    expect_damage_is_noticed(model_bytes(small),
                             [](const std::string& bytes) { return parse_model<kernel_logistic_model>(bytes, "m"); });
    const testing_support::scratch_folder folder;
    save_model(small, folder.path("m"));
    EXPECT_EQ(load_model<kernel_logistic_model>(folder.path("m")).objective, small.objective);
}

TEST(kernel_logistic, extremes_and_faults) {
    const sample s = standardised(load("iris.svm"));
    const dataset x = dense_data(s.x);
    for (const double C : {1e-8, 1e4}) {
        kernel_logistic_options o;
        o.C = C;
        const kernel_logistic_model model = fit_kernel_logistic(gaussian{0.5}, x, s.y, o);
        EXPECT_EQ(model.status, fit_status::converged) << C << ": " << model.gap << " of " << model.objective;
        // for tiny C the model predicts the frequencies, a third each
        if (C < 1) {
            EXPECT_NEAR(probabilities(model, decide(model, x).view())(0, 0), 1.0 / 3, 1e-5);
        }
    }
    const auto fit = [&](kernel_logistic_options o) { return fit_kernel_logistic(gaussian{0.5}, x, s.y, o); };
    expect_error(errc::invalid_argument, "0 < C < infinity, got 0",
                 [&] { fit({.C = 0, .class_weight = {}, .sample_weight = {}}); });
    expect_error(errc::invalid_argument, "weight of class 1", [&] {
        fit({.class_weight = {{1, -1}}, .sample_weight = {}});
    });
    expect_error(errc::data, "at least two classes", [&] {
        fit_kernel_logistic(gaussian{0.5}, dense_data({{1.0}, {2.0}}), std::vector<double>{3, 3});
    });
    expect_error(errc::data, "no examples",
                 [&] { fit_kernel_logistic(gaussian{0.5}, dense_data({}), std::vector<double>{}); });
    expect_error(errc::data, "target 1", [&] {
        fit_kernel_logistic(gaussian{0.5}, dense_data({{1.0}, {2.0}}), std::vector<double>{3, std::nan("")});
    });
}

}  // namespace
}  // namespace mercer
