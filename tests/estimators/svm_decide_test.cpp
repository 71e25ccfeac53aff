#include <gtest/gtest.h>

#include "estimators/model_support.h"
#include "mercer/data/readers/read.h"
#include "mercer/gram/computed.h"

namespace mercer {
namespace {

using namespace testing_support;

TEST(svm_decide, exact_is_the_sum_of_the_definition) {
    const table data = sample("wine.svm");
    const svm_model model = fit_svm(gaussian{1e-3}, data.x, data.y, {});
    const matrix<double> exact = decide(model, data.x, arithmetic::exact), fast = decide(model, data.x, arithmetic::fast);
    const auto x = as_dense<double>(data.x);
    const auto s = as_dense<double>(model.support);
    const index k = static_cast<index>(model.classes.size());
    std::vector<index> first{0};
    for (const index count : model.class_support) first.push_back(first.back() + count);
    for (index i = 0; i < x.size(); ++i) {
        index problem = 0;
        for (index a = 0; a < k; ++a)
            for (index b = a + 1; b < k; ++b, ++problem) {
                double f = model.offset[static_cast<std::size_t>(problem)], size = std::abs(f);
                const auto add = [&](index c, index m) {
                    for (index v = first[static_cast<std::size_t>(c)]; v < first[static_cast<std::size_t>(c) + 1]; ++v) {
                        double distance = 0;
                        for (index j = 0; j < x.dims(); ++j) distance += (x.row(i)[j] - s.row(v)[j]) * (x.row(i)[j] - s.row(v)[j]);
                        f += model.coef(m, v) * std::exp(-1e-3 * distance);
                        size += std::abs(model.coef(m, v));
                    }
                };
                add(a, b - 1);
                add(b, a);
                ASSERT_NEAR(exact(i, problem), f, 1e-9 * size);
                ASSERT_NEAR(fast(i, problem), f, 1e-3 * size);  // coordinates of 1e3: squared distances of 1e6 in float
            }
    }
}

TEST(svm_decide, classes_are_those_of_exact_arithmetic) {
    // Coordinates far from zero in sparse storage make float kernel values poor, so that some fast decisions have the wrong sign.
    const table data = sample("sonar.svm");
    matrix<double> moved(data.x.size(), data.x.dims() + 1);
    const auto x = as_dense<double>(data.x);
    for (index i = 0; i < moved.rows(); ++i) {
        std::copy_n(x.row(i), x.dims(), moved.row(i));
        moved(i, x.dims()) = i % 2 ? 40 : -40;
    }
    const dataset far = dense<double>(std::move(moved));
    for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
        svm_options options;
        options.classes = scheme;
        options.C = 100;
        std::vector<double> y = data.y;
        for (std::size_t i = 0; i < y.size(); i += 3) y[i] = 5;
        const svm_model model = fit_svm(gaussian{0.3}, far, y, options);
        EXPECT_EQ(predict(model, far), predict(model, decide(model, far, arithmetic::exact).view()));
    }
}

TEST(svm_decide, from_a_gram_matrix) {
    const table data = sample("heart_scale.svm");
    const kernel k = gaussian{0.1};
    const svm_model model = fit_svm(k, data.x, data.y, {});
    const computed<float> K(k, data.x);
    const std::vector<index> rows{5, 0, 269, 100};
    const matrix<double> got = decide(model, K, std::span<const index>(rows), model.support_rows), all = decide(model, data.x);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(got(static_cast<index>(i), 0), all(rows[i], 0), 1e-5);
}

}  // namespace
}  // namespace mercer
