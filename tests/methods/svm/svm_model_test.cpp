#include "mercer/methods/svm/svm_model.h"

#include <gtest/gtest.h>

#include "contracts/errors.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using mercer::testing::expect_error;

TEST(svm_scores, votes_decide_and_decisions_break_ties) {
    svm_model model;
    model.classes = {0, 1, 2};
    model.offset = {0, 0, 0};
    // (0,1), (0,2), (1,2): row 0 gives class 0 two votes; in row 1 every class has one.
    const matrix<double> f = plain_matrix({{1, 2, -1}, {1, -2, 4}});
    const matrix<double> scores = class_scores(model, f.view());
    const auto squeezed = [](double s) { return s / (3 * (std::abs(s) + 1)); };
    EXPECT_DOUBLE_EQ(scores(0, 0), 2 + squeezed(3));
    EXPECT_DOUBLE_EQ(scores(0, 1), 0 + squeezed(-2));
    EXPECT_DOUBLE_EQ(scores(0, 2), 1 + squeezed(-1));
    EXPECT_DOUBLE_EQ(scores(1, 0), 1 + squeezed(-1));
    EXPECT_DOUBLE_EQ(scores(1, 1), 1 + squeezed(3));
    EXPECT_DOUBLE_EQ(scores(1, 2), 1 + squeezed(-2));
}

TEST(svm_scores, the_largest_is_the_predicted_class_where_votes_are_not_tied) {
    const table data = sample("wine.svm");
    const svm_model model = fit_svm(gaussian{1e-3}, data.x, data.y, {});
    const matrix<double> f = decide(model, data.x, arithmetic::exact), scores = class_scores(model, f.view());
    const std::vector<double> label = predict(model, f.view());
    for (index i = 0; i < scores.rows(); ++i) {
        std::vector<double> votes;
        for (index c = 0; c < 3; ++c) votes.push_back(std::round(scores(i, c)));
        const auto best = std::max_element(scores.row(i), scores.row(i) + 3) - scores.row(i);
        if (std::count(votes.begin(), votes.end(), votes[static_cast<std::size_t>(best)]) == 1) {
            EXPECT_EQ(label[static_cast<std::size_t>(i)], model.classes[static_cast<std::size_t>(best)]) << i;
        }
    }
}

TEST(svm_scores, need_three_classes_and_their_decisions) {
    svm_model model;
    model.classes = {0, 1};
    model.offset = {0};
    const matrix<double> f = plain_matrix({{1}});
    expect_error(errc::unsupported, "3 <= classes, got 2", [&] { class_scores(model, f.view()); });
    model.classes = {0, 1, 2};
    model.offset = {0, 0, 0};
    expect_error(errc::invalid_argument, "got 1", [&] { class_scores(model, f.view()); });
}

TEST(svm_scores, weights_give_the_decisions_of_a_linear_kernel) {
    for (const char* file : {"wine.svm", "heart_scale.svm", "housing.svm"})
        for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
            const table data = sample(file);
            svm_options options;
            options.classes = scheme;
            if (std::string(file) == "housing.svm") options.task = svm_task::epsilon_svr, options.max_steps = 500;
            if (std::string(file) == "wine.svm") options.max_steps = 500;
            const svm_model model = fit_svm(linear{}, data.x, data.y, options);
            const matrix<double> w = linear_weights(model), f = decide(model, data.x, arithmetic::exact);
            const auto x = as_dense<double>(data.x);
            for (index i = 0; i < f.rows(); ++i)
                for (index p = 0; p < f.cols(); ++p) {
                    double sum = model.offset[static_cast<std::size_t>(p)], size = std::abs(sum);
                    for (index a = 0; a < x.dims(); ++a)
                        sum += w(p, a) * x.row(i)[a], size += std::abs(w(p, a) * x.row(i)[a]);
                    for (index s = 0; s < model.coef.cols(); ++s)
                        size += 1e3 * std::abs(model.coef(0, s));  // terms that cancel in w
                    ASSERT_NEAR(f(i, p), sum, 1e-12 * size) << file << " " << i << " " << p;
                }
        }
    expect_error(errc::unsupported, "rbf", [] {
        const table data = sample("heart_scale.svm");
        linear_weights(fit_svm(gaussian{0.1}, data.x, data.y, {}));
    });
}

// ν determines C = 1/ρ; with class weights relative to this C, the model equals that of C-SVC with C = 1/ρ and the same
// weights.
TEST(svm_scores, class_weights_of_C_in_nu_classification) {
    const table data = sample("heart_scale.svm");
    svm_options nu;
    nu.task = svm_task::nu_svc;
    nu.nu = 0.4;
    nu.tol = 1e-8;
    const svm_model plain = fit_svm(gaussian{0.05}, data.x, data.y, nu);
    double C = 0;  // at least one multiplier is at its bound, 1/ρ
    for (index s = 0; s < plain.coef.cols(); ++s) C = std::max(C, std::abs(plain.coef(0, s)));
    nu.class_weight = {{1, 5}, {-1, 0.25}};
    nu.class_weight_of_C = true;
    svm_options c;
    c.C = C;
    c.tol = 1e-8;
    c.class_weight = nu.class_weight;
    const matrix<double> f = decide(fit_svm(gaussian{0.05}, data.x, data.y, nu), data.x, arithmetic::exact),
                         g = decide(fit_svm(gaussian{0.05}, data.x, data.y, c), data.x, arithmetic::exact);
    for (index i = 0; i < f.rows(); ++i) ASSERT_NEAR(f(i, 0), g(i, 0), 1e-5);
    // Weights of 1 have no effect.
    nu.class_weight = {{1, 1.0}};
    const matrix<double> same = decide(fit_svm(gaussian{0.05}, data.x, data.y, nu), data.x, arithmetic::exact),
                         first = decide(plain, data.x, arithmetic::exact);
    for (index i = 0; i < f.rows(); ++i) ASSERT_NEAR(same(i, 0), first(i, 0), 1e-5);
}

}  // namespace
}  // namespace mercer
