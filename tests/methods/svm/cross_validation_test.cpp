#include "mercer/methods/svm/cross_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "contracts/property.h"
#include "mercer/metrics/metrics.h"
#include "methods/model_support.h"

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

PROPERTY(validation, folds_are_partitions_and_strata_are_even) {
    const auto labels = arbitrary::any<std::vector<std::uint8_t>>();
    const auto seed = arbitrary::any<std::uint64_t>();
    const auto wish = arbitrary::any<std::uint8_t>();
    arbitrary::require_precondition(labels.size() >= 2);
    std::vector<double> y;
    for (const auto label : labels) y.push_back(label % 3);
    const index n = static_cast<index>(y.size());
    const int folds = 2 + static_cast<int>(wish % static_cast<unsigned>(n - 1));
    expect_partition(plain_folds(n, folds, make_random_below(seed)), n);
    const fold_plan plan = stratified_folds(y, folds, make_random_below(seed));
    expect_partition(plan, n);
    for (const double c : {0.0, 1.0, 2.0}) {
        const index all = std::count(y.begin(), y.end(), c);
        for (int f = 0; f < folds; ++f) {
            index here = 0;
            for (const index i : plan.held_out(f)) here += y[static_cast<std::size_t>(i)] == c;
            MUST_HOLD(here == all / folds || here == all / folds + 1);
        }
    }
}

PROPERTY(validation, groups_stay_together) {
    const auto drawn = arbitrary::any<std::vector<std::uint8_t>>();
    const auto seed = arbitrary::any<std::uint64_t>();
    std::vector<std::int64_t> group{7, 8, 9};
    for (const auto each : drawn) group.push_back(each % 10);
    const fold_plan plan = grouped_folds(group, 3, make_random_below(seed));
    expect_partition(plan, static_cast<index>(group.size()));
    for (int f = 0; f < 3; ++f) {
        std::set<std::int64_t> here, there;
        for (const index i : plan.held_out(f)) here.insert(group[static_cast<std::size_t>(i)]);
        for (const index i : plan.training(f)) there.insert(group[static_cast<std::size_t>(i)]);
        for (const auto each : here) MUST_HOLD(there.count(each) == 0u);
    }
}

TEST(validation, time_goes_on_from_part_to_part) {
    const fold_plan plan = time_folds(10, 3);
    expect_partition(plan, 10);
    EXPECT_TRUE(std::is_sorted(plan.order.begin(), plan.order.end()));
}

TEST(validation, bad_folds) {
    EXPECT_THAT(failure([] {
                    grouped_folds(std::vector<std::int64_t>{1, 1, 2}, 3, make_random_below(1));
                }),
                ::testing::HasSubstr("2 <= folds <= 2 groups"));
    EXPECT_THAT(failure([] { plain_folds(5, 1, make_random_below(1)); }), ::testing::HasSubstr("2 <= folds <= 5"));
    EXPECT_THAT(failure([] { plain_folds(5, 6, make_random_below(1)); }), ::testing::HasSubstr("got 6"));
}

TEST(validation, equals_fits_done_by_hand) {
    const table data = sample("sonar.svm");
    const kernel k = gaussian{0.5};
    svm_options options;
    options.C = 4;
    options.sorted_classes = false;
    const fold_plan plan = stratified_folds(data.y, 4, make_random_below(3));
    const auto [got, ended] = cross_predict(shared_gram(k, data.x, options.memory_bytes), data.y, options, plan);
    EXPECT_EQ(ended.fits, 4);
    EXPECT_EQ(ended.unfinished, 0);
    // if the budget is too small for the matrix, kernel values are computed again for every fold
    EXPECT_EQ(cross_predict(shared_gram(k, data.x, 1000), data.y, options, plan).values, got);
    index different = 0;
    for (int f = 0; f < plan.folds(); ++f) {
        const auto training = plan.training(f);
        const auto held_out = plan.held_out(f);
        std::vector<double> y;
        for (const index i : training) y.push_back(data.y[static_cast<std::size_t>(i)]);
        const svm_model model = fit_svm(k, gather(data.x, std::span<const index>(training)), y, options);
        const auto labels = predict(model, gather(data.x, held_out));
        for (std::size_t i = 0; i < held_out.size(); ++i)
            different += labels[i] != got[static_cast<std::size_t>(held_out[i])];
    }
    EXPECT_EQ(different, 0);
    EXPECT_GT(count_correct(data.y, got), 160);  // of 208: about 88 % by this kernel
}

TEST(validation, tells_of_fits_that_did_not_converge) {
    const table data = sample("iris.svm");
    svm_options options;
    options.max_steps = 1;
    const inner_fits ended = cross_predict(shared_gram(gaussian{0.5}, data.x, 1 << 20), data.y, options,
                                           stratified_folds(data.y, 4, make_random_below(3)))
                                 .fits;
    EXPECT_EQ(ended.fits, 4 * 3) << "three pairs of classes a fold";
    EXPECT_EQ(ended.unfinished, ended.fits);
    EXPECT_EQ(ended.worst, fit_status::step_limit);
    EXPECT_GT(ended.worst_gap, options.tol);
}

TEST(validation, inner_fits_keep_the_worst) {
    inner_fits all{5, 0, 0, fit_status::converged};
    EXPECT_EQ(all.warning(), "");
    all.add({3, 1, 0.25, fit_status::time_limit});
    all.add({2, 1, 0.125, fit_status::stalled});
    all.add({4, 0, 0, fit_status::converged});
    EXPECT_EQ(all.warning(), "2 of 14 fits did not converge (the worst: time limit at a KKT violation of 0.25)");
}

TEST(validation, a_part_with_one_class_predicts_it) {
    const dataset x = dense<double>(plain_matrix({{0.0}, {1.0}}));
    const std::vector<double> y{1, 2};
    const kernel k = linear{};
    const auto got =
        cross_predict(shared_gram(k, x, 1 << 20), y, svm_options{}, plain_folds(2, 2, make_random_below(1))).values;
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
