#include "mercer/estimators/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "estimators/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;

void expect_partition(const fold_plan& plan, index n) {
    std::vector<index> all = plan.order;
    std::sort(all.begin(), all.end());
    ASSERT_EQ(static_cast<index>(all.size()), n);
    for (index i = 0; i < n; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i);
    for (int f = 0; f < plan.folds(); ++f) {
        std::set<index> training;
        for (const index i : plan.training(f)) training.insert(i);
        for (const index i : plan.held_out(f)) ASSERT_EQ(training.count(i), 0u);
        ASSERT_EQ(training.size() + plan.held_out(f).size(), static_cast<std::size_t>(n));
    }
}

RC_GTEST_PROP(validation, folds_are_partitions_and_strata_are_even, (std::vector<std::uint8_t> labels, std::uint64_t seed, std::uint8_t wish)) {
    RC_PRE(labels.size() >= 2);
    std::vector<double> y;
    for (const auto label : labels) y.push_back(label % 3);
    const index n = static_cast<index>(y.size());
    const int folds = 2 + static_cast<int>(wish % static_cast<unsigned>(n - 1));
    expect_partition(plain_folds(n, folds, seeded(seed)), n);
    const fold_plan plan = stratified_folds(y, folds, seeded(seed));
    expect_partition(plan, n);
    for (const double c : {0.0, 1.0, 2.0}) {
        const index all = std::count(y.begin(), y.end(), c);
        for (int f = 0; f < folds; ++f) {
            index here = 0;
            for (const index i : plan.held_out(f)) here += y[static_cast<std::size_t>(i)] == c;
            RC_ASSERT(here == all / folds || here == all / folds + 1);
        }
    }
}

TEST(validation, bad_folds) {
    EXPECT_THAT(failure([] { plain_folds(5, 1, seeded(1)); }), ::testing::HasSubstr("2 <= folds <= 5"));
    EXPECT_THAT(failure([] { plain_folds(5, 6, seeded(1)); }), ::testing::HasSubstr("got 6"));
}

TEST(validation, equals_fits_done_by_hand) {
    const table data = sample("sonar.svm");
    const kernel k = gaussian{0.5};
    svm_options options;
    options.C = 4;
    options.sorted_classes = false;
    const fold_plan plan = stratified_folds(data.y, 4, seeded(3));
    const auto got = cross_predict(shared_gram(k, data.x, options.memory_bytes), data.y, options, plan);
    // a budget too small to keep the matrix computes kernel values again for every part
    EXPECT_EQ(cross_predict(shared_gram(k, data.x, 1000), data.y, options, plan), got);
    index different = 0;
    for (int f = 0; f < plan.folds(); ++f) {
        const auto training = plan.training(f);
        const auto held_out = plan.held_out(f);
        std::vector<double> y;
        for (const index i : training) y.push_back(data.y[static_cast<std::size_t>(i)]);
        const svm_model model = fit_svm(k, gather(data.x, std::span<const index>(training)), y, options);
        const auto labels = predict(model, gather(data.x, held_out));
        for (std::size_t i = 0; i < held_out.size(); ++i) different += labels[i] != got[static_cast<std::size_t>(held_out[i])];
    }
    EXPECT_EQ(different, 0);
    EXPECT_GT(count_correct(data.y, got), 160);  // of 208: about 88 % by this kernel
}

TEST(validation, a_part_with_one_class_predicts_it) {
    const dataset x = dense<double>(plain_matrix({{0.0}, {1.0}}));
    const std::vector<double> y{1, 2};
    const kernel k = linear{};
    const auto got = cross_predict(shared_gram(k, x, 1 << 20), y, svm_options{}, plain_folds(2, 2, seeded(1)));
    EXPECT_EQ(got, (std::vector<double>{2, 1}));
}

TEST(validation, scores_by_hand) {
    const regression_score score = score_regression(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2, 5});
    EXPECT_DOUBLE_EQ(score.mean_squared_error, 4.0 / 3);
    // correlation of (1,2,3) and (1,2,5): cov 4/3, variances 2/3 and 26/9
    EXPECT_NEAR(score.squared_correlation, (4.0 / 3) * (4.0 / 3) / ((2.0 / 3) * (26.0 / 9)), 1e-12);
    EXPECT_EQ(count_correct(std::vector<double>{1, 2, 3}, std::vector<double>{1, 3, 3}), 2);
}

}  // namespace
}  // namespace mercer
