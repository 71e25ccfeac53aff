#include "mercer/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "contracts/property.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;

// From the definition: the fraction of pairs, one of each class, in the right order.
double pairs_in_order(const std::vector<double>& score, const std::vector<bool>& positive) {
    double right = 0, pairs = 0;
    for (std::size_t i = 0; i < score.size(); ++i)
        for (std::size_t j = 0; j < score.size(); ++j)
            if (positive[i] && !positive[j]) {
                ++pairs;
                right += score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0;
            }
    return right / pairs;
}

PROPERTY(metrics, area_under_the_curve_is_the_share_of_pairs_in_order) {
    const auto drawn = arbitrary::any<std::vector<std::uint8_t>>();
    std::vector<double> score;
    std::vector<bool> positive;
    for (const auto each : drawn) score.push_back(each % 7), positive.push_back(each & 64);
    const double got = area_under_roc(score, positive), want = pairs_in_order(score, positive);
    MUST_HOLD(std::isnan(want) ? std::isnan(got) : std::abs(got - want) < 1e-12);
}

TEST(metrics, of_classes_by_hand) {
    const std::vector<double> y{0, 0, 0, 1, 1, 2}, v{0, 0, 1, 1, 0, 2};
    const metric_input a{.y = y, .predicted = v};
    EXPECT_DOUBLE_EQ(find_metric("accuracy", target_kind::classes).value(a), 4.0 / 6);
    EXPECT_DOUBLE_EQ(find_metric("balanced_accuracy", target_kind::classes).value(a), (2.0 / 3 + 1.0 / 2 + 1) / 3);
    // precision and recall: 2/3 and 2/3; 1/2 and 1/2; 1 and 1
    EXPECT_DOUBLE_EQ(find_metric("f1", target_kind::classes).value(a), (2.0 / 3 + 1.0 / 2 + 1) / 3);
}

TEST(metrics, of_values_by_hand) {
    const std::vector<double> y{1, 2, 4, 5}, v{1, 3, 4, 3};
    const metric_input a{.y = y, .predicted = v};
    EXPECT_DOUBLE_EQ(find_metric("mse", target_kind::values).value(a), 5.0 / 4);
    EXPECT_DOUBLE_EQ(find_metric("rmse", target_kind::values).value(a), std::sqrt(5.0 / 4));
    EXPECT_DOUBLE_EQ(find_metric("mae", target_kind::values).value(a), 3.0 / 4);
    EXPECT_DOUBLE_EQ(find_metric("pinball", target_kind::values).value(a), 3.0 / 8);
    EXPECT_DOUBLE_EQ(find_metric("r2", target_kind::values).value(a), 1 - 5.0 / 10);
}

TEST(metrics, of_probabilities_by_hand) {
    matrix<double> p(2, 2);
    p(0, 0) = 0.9, p(0, 1) = 0.1, p(1, 0) = 0, p(1, 1) = 1;
    const std::vector<double> y{3, 3}, v{3, 5}, classes{3, 5};
    const metric_input a{y, v, p.view(), classes};
    EXPECT_DOUBLE_EQ(find_metric("log_loss", target_kind::classes).value(a), -(std::log(0.9) + std::log(1e-15)) / 2);
    EXPECT_TRUE(std::isnan(find_metric("auc", target_kind::classes).value(a)));  // all of one class
}

TEST(metrics, unknown_ones_are_named) {
    EXPECT_THAT(failure([] { find_metric("rmse", target_kind::classes); }), ::testing::HasSubstr("accuracy, balanced"));
}

}  // namespace
}  // namespace mercer
