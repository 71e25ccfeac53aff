#include "mercer/model_selection/nested_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mercer/base/error.h"
#include "mercer/preprocess/pipeline.h"
#include "methods/model_support.h"

namespace mercer::api {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

tune_options few() {
    tune_options o;
    o.points = 4;
    return o;
}

// Targets that are independent of the objects: the best score of a search is better than chance, the nested estimate is
// not.
TEST(nested, is_not_taken_in_by_the_best_of_many) {
    table data = sample("heart_scale.svm");
    for (std::size_t i = 0; i < data.y.size(); ++i)
        data.y[i] = std::fmod(std::sin(1.0 + static_cast<double>(i)) * 1e4, 1.0) > 0 ? 1 : -1;
    const spec s{"svc", "rbf(gamma=?)", "", {{"C", "?"}}};
    const nested_estimate found = nested_tune(s, data, 5, few());
    EXPECT_EQ(found.scores.size(), 5u);
    EXPECT_EQ(found.chosen.size(), 5u);
    EXPECT_LE(found.range.low, 0.55);
    EXPECT_LT(found.mean, 0.6);
    EXPECT_EQ(found.interval_method, "Wilson");
    EXPECT_TRUE(found.complete);
}

TEST(nested, estimates_with_every_kind_of_metric) {
    const table data = sample("heart_scale.svm"), housing = sample("housing.svm");
    for (const char* metric : {"accuracy", "f1", "auc"}) {
        tune_options o = few();
        o.points = 2;
        o.metric = metric;
        const nested_estimate found = nested_tune({"svc", "rbf(gamma=?)", "", {{"C", "1"}}}, data, 3, o);
        EXPECT_GT(found.mean, 0.7) << metric;
        EXPECT_LT(found.range.low, found.mean);
        EXPECT_GT(found.range.high, found.mean);
    }
    tune_options o = few();
    o.by_time = true;
    const nested_estimate found =
        nested_tune({"kernel_ridge", "rbf(gamma=?)", "standard", {{"alpha", "?"}}}, housing, 4, o);
    EXPECT_EQ(found.metric, "rmse");
    EXPECT_EQ(found.interval_method, "bootstrap");
    EXPECT_EQ(found.scores.size(), 3u);
    EXPECT_THAT(failure([&] {
                    nested_tune({"svc", "rbf(gamma=?)", "", {}}, data, 1, o);
                }),
                HasSubstr("2 <= outer folds"));
}

TEST(nested, a_learning_curve_rises) {
    const table data = sample("digits.svm.xz");
    tune_options o;
    o.folds = 3;
    const learning_curve found = learn_curve({"svc", "rbf(gamma=0.001)", "", {{"C", "10"}}}, data, o);
    ASSERT_GE(found.examples.size(), 5u);
    EXPECT_GT(found.held_out.back(), 0.97);
    EXPECT_GT(found.held_out.back(), found.held_out.front() + 0.03);
    for (std::size_t i = 0; i < found.examples.size(); ++i) EXPECT_GE(found.training[i], found.held_out[i] - 0.01);
    EXPECT_TRUE(std::ranges::is_sorted(found.examples));
}

// The fast path of regression compared with complete fits on the same folds.
TEST(nested, regression_along_prices_scores_as_whole_fits_do) {
    table data = sample("housing.svm");
    data.x = apply_scaling(*fit_scaling(data.x, "standard"), data.x);
    tune_options o;
    o.race = false;
    const spec s{"svr", "rbf(gamma=?{0.02,0.2})", "", {{"C", "?{1,100}"}, {"epsilon", "?{0.1,1}"}}};
    const tuning quick = tune(s, data, o);
    fit_control little;
    little.memory_bytes = 100'000;  // too little memory for the fast path
    const tuning whole = tune(s, data, o, little);
    ASSERT_EQ(quick.trials.size(), whole.trials.size());
    for (std::size_t i = 0; i < quick.trials.size(); ++i)
        EXPECT_NEAR(quick.trials[i].mean, whole.trials[i].mean, 0.01 * whole.trials[i].mean)
            << quick.trials[i].what.kernel;
}

}  // namespace
}  // namespace mercer::api
