#include "mercer/metrics/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "contracts/errors.h"
#include "mercer/base/threads.h"

namespace mercer::testing {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

// At both ends of Wilson's interval, right/n is z standard deviations away from p.
TEST(wilson, ends_lie_z_deviations_of_their_own_from_what_was_seen) {
    for (const double n : {1.0, 7.0, 40.0, 1000.0})
        for (const double right : {0.0, 1.0, std::floor(n / 3), n}) {
            const interval r = wilson_interval(right, n);
            EXPECT_LE(0, r.low);
            EXPECT_LE(r.low, right / n);
            EXPECT_LE(right / n, r.high);
            EXPECT_LE(r.high, 1);
            for (const double p : {r.low, r.high})
                if (p > 0 && p < 1) {
                    EXPECT_NEAR(std::abs(right / n - p), normal_97_5 * std::sqrt(p * (1 - p) / n), 1e-12);
                }
        }
    EXPECT_EQ(wilson_interval(0, 0).low, 0);
    EXPECT_EQ(wilson_interval(0, 0).high, 1);
}

TEST(bootstrap, of_a_mean_is_as_wide_as_its_standard_error_says) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal(5, 2);
    std::vector<double> x(400);
    double mean = 0, spread = 0;
    for (double& each : x) each = normal(random), mean += each / 400;
    for (const double each : x) spread += (each - mean) * (each - mean) / 400;
    const auto mean_of = [&](std::span<const index> rows, std::span<double> out) {
        out[0] = 0;
        for (const index i : rows) out[0] += x[static_cast<std::size_t>(i)] / 400;
        out[1] = rows[0] % 2 ? nan : 1;  // not defined for half of the bootstrap samples
        out[2] = nan;
    };
    const auto found = bootstrap_intervals(400, 3, mean_of, {4000, 7});
    const double half = normal_97_5 * std::sqrt(spread / 400);
    EXPECT_NEAR(found[0].low, mean - half, 0.1 * half);
    EXPECT_NEAR(found[0].high, mean + half, 0.1 * half);
    EXPECT_EQ(found[1].low, 1);
    EXPECT_EQ(found[1].high, 1);
    EXPECT_TRUE(std::isnan(found[2].low));
    const thread_limit one(1);
    const auto alone = bootstrap_intervals(400, 3, mean_of, {4000, 7});
    EXPECT_EQ(found[0].low, alone[0].low);
    EXPECT_EQ(found[0].high, alone[0].high);
}

TEST(percentile, is_linear_between_neighbours) {
    const std::vector<double> x{1, 2, 4};
    EXPECT_EQ(percentile(x, 0), 1);
    EXPECT_EQ(percentile(x, 0.5), 2);
    EXPECT_EQ(percentile(x, 0.75), 3);
    EXPECT_EQ(percentile(x, 1), 4);
    EXPECT_TRUE(std::isnan(percentile({}, 0.5)));
}

TEST(confusion, counts_pairs_and_knows_classes_of_model_targets_and_answers) {
    const std::vector<double> y{0, 0, 1, 5, 5, 5}, said{0, 1, 1, 1, 0, 0}, classes{0, 1, 2};
    const confusion_matrix all = compute_confusion(y, said, classes);
    EXPECT_EQ(all.labels, (std::vector<double>{0, 1, 2, 5}));
    for (index i = 0; i < 4; ++i)
        for (index j = 0; j < 4; ++j) {
            index expected = 0;
            for (std::size_t k = 0; k < y.size(); ++k)
                expected += y[k] == all.labels[static_cast<std::size_t>(i)] &&
                            said[k] == all.labels[static_cast<std::size_t>(j)];
            EXPECT_EQ(all.count(i, j), expected);
        }
    const auto of = compute_class_metrics(all);
    EXPECT_DOUBLE_EQ(of[0].precision, 1.0 / 3);
    EXPECT_DOUBLE_EQ(of[0].recall, 0.5);
    EXPECT_DOUBLE_EQ(of[1].f1, 2 * (1.0 / 3) * 1 / (1.0 / 3 + 1));
    EXPECT_TRUE(std::isnan(of[2].precision) && std::isnan(of[2].recall) && std::isnan(of[2].f1));  // nowhere
    EXPECT_TRUE(std::isnan(of[3].precision));                                                      // never predicted
    EXPECT_EQ(of[3].recall, 0);
    EXPECT_EQ(of[3].support, 3);
}

TEST(ranking, has_the_counts_of_every_threshold_and_the_area_of_all_pairs) {
    std::mt19937_64 random(5);
    for (int levels : {1, 3, 20, 100000}) {
        std::vector<double> score;
        std::vector<bool> positive;
        for (int i = 0; i < 200; ++i) {
            positive.push_back(random() % 3 == 0);
            score.push_back(static_cast<double>(random() % static_cast<unsigned>(levels)) +
                            (positive.back() ? 0.3 * levels : 0));
        }
        const ranking all = compute_ranking(score, positive);
        const std::set<double> distinct(score.begin(), score.end());
        ASSERT_EQ(all.points.size(), distinct.size() + 1);
        EXPECT_EQ(all.points[0].threshold, inf);
        double average = 0, recall = 0;
        for (const ranking_point& p : all.points) {
            index right = 0, wrong = 0;
            for (std::size_t i = 0; i < score.size(); ++i)
                if (score[i] >= p.threshold) ++(positive[i] ? right : wrong);
            EXPECT_EQ(p.true_positives, right);
            EXPECT_EQ(p.false_positives, wrong);
            average += (all.recall(p) - recall) * ranking::precision(p);
            recall = all.recall(p);
        }
        EXPECT_NEAR(all.average_precision, average, 1e-12);
        double won = 0, pairs = 0;
        for (std::size_t i = 0; i < score.size(); ++i)
            for (std::size_t j = 0; j < score.size(); ++j)
                if (positive[i] && !positive[j])
                    ++pairs, won += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
        EXPECT_NEAR(all.area, won / pairs, 1e-12);
        EXPECT_NEAR(all.area, area_under_roc(score, positive), 1e-12);
        const auto few = thin_out(corners(all), 5);
        EXPECT_LE(few.size(), 5u);
        EXPECT_EQ(few.front().true_positives, 0);
        EXPECT_EQ(few.back().true_positives, all.positives);
    }
}

TEST(ranking, of_one_side_has_no_area) {
    const std::vector<double> score{1, 2, 2};
    EXPECT_TRUE(std::isnan(compute_ranking(score, {true, true, true}).area));
    EXPECT_EQ(compute_ranking(score, {true, true, true}).average_precision, 1);
    EXPECT_TRUE(std::isnan(compute_ranking(score, {false, false, false}).average_precision));
    EXPECT_FALSE(compute_ranking({}, {}).has_roc());
}

TEST(reliability, counts_the_class_among_equal_probabilities) {
    const std::vector<double> p{0, 0.05, 0.1, 0.95, 0.96, 1, 0.55};
    const std::vector<bool> is{false, false, true, true, true, false, true};
    const reliability r = compute_reliability(p, is, 10);
    ASSERT_EQ(r.bins.size(), 3u);
    EXPECT_EQ(r.bins[0].count, 3);  // 0.1 belongs to the bin that it ends
    EXPECT_DOUBLE_EQ(r.bins[0].mean, 0.05);
    EXPECT_DOUBLE_EQ(r.bins[0].share, 1.0 / 3);
    EXPECT_EQ(r.bins[1].count, 1);
    EXPECT_EQ(r.bins[2].positive, 2);
    double brier = 0;
    for (std::size_t i = 0; i < p.size(); ++i) brier += std::pow(p[i] - is[i], 2) / 7;
    EXPECT_NEAR(r.brier, brier, 1e-15);
    EXPECT_NEAR(r.calibration_error,
                (3 * (1.0 / 3 - 0.05) + 1 * 0.45 + 3 * std::abs(2.0 / 3 - (0.95 + 0.96 + 1) / 3)) / 7, 1e-12);
    EXPECT_TRUE(std::isnan(compute_reliability({}, {}, 10).brier));
}

// --- importance

struct linear_data {
    matrix<double> x{300, 3};
    std::vector<double> y;
};
linear_data drawn() {
    linear_data out;
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    for (index i = 0; i < 300; ++i) {
        out.x(i, 0) = normal(random), out.x(i, 1) = random() % 10 == 0 ? 1 : 0, out.x(i, 2) = 4;
        out.y.push_back(3 * out.x(i, 0) + 2 * out.x(i, 1) + 0.1 * normal(random));
    }
    return out;
}
sparse<double> sparse_of(const matrix<double>& x) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    for (index i = 0; i < x.rows(); ++i) {
        for (index j = 0; j < x.cols(); ++j)
            if (x(i, j) != 0) col.push_back(static_cast<std::int32_t>(j)), val.push_back(x(i, j));
        start.push_back(static_cast<index>(col.size()));
    }
    return {std::move(start), std::move(col), std::move(val), x.cols()};
}

TEST(importance, is_what_the_definition_says_for_every_storage_and_block) {
    const linear_data data = drawn();
    const dataset dense_x = dense<double>(data.x.view()), sparse_x = sparse_of(data.x);
    index asked_rows = 0;
    const predictor model = [&](const dataset& x) {
        const dense<double> rows = as_dense<double>(x);
        predictions_of_model out;
        for (index i = 0; i < rows.size(); ++i) out.predicted.push_back(3 * rows.row(i)[0] + 2 * rows.row(i)[1]);
        asked_rows += rows.size();
        return out;
    };
    const metric& mse = find_metric("mse", target_kind::values);
    importance_options o;
    o.repeats = 25;
    const auto found = permutation_importance(dense_x, data.y, {}, mse, model, o);
    // Only changed rows are predicted again: all for the first column, at most a fifth for the second, none for the
    // last.
    EXPECT_LT(asked_rows, 300 + 25 * 300 + 25 * 100);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[2].mean, 0);
    EXPECT_EQ(found[2].mean_interval.high, 0);
    // E (w(x' - x))² + 2w cov = 2w²·variance where the model is the truth
    for (const index j : {0, 1}) {
        double mean = 0, variance = 0;
        for (index i = 0; i < 300; ++i) mean += data.x(i, j) / 300;
        for (index i = 0; i < 300; ++i) variance += std::pow(data.x(i, j) - mean, 2) / 300;
        const double w = j == 0 ? 3 : 2;
        const auto& one = found[static_cast<std::size_t>(j)];
        EXPECT_NEAR(one.mean, 2 * w * w * variance, 0.1 * 2 * w * w * variance);
        EXPECT_LT(one.mean_interval.low, one.mean);
        EXPECT_GT(one.mean_interval.high, one.mean);
        EXPECT_GT(one.mean_interval.low, 0);
    }
    o.max_batch_numbers = 1;  // the smallest batches
    const thread_limit single(1);
    for (const dataset* x : {&dense_x, &sparse_x}) {
        const auto again = permutation_importance(*x, data.y, {}, mse, model, o);
        for (std::size_t j = 0; j < 3; ++j) {
            EXPECT_EQ(again[j].decrease, found[j].decrease);
            EXPECT_EQ(again[j].mean_interval.low, found[j].mean_interval.low);
        }
    }
}

TEST(importance, refuses_what_it_cannot_shuffle) {
    const linear_data data = drawn();
    const predictor model = [](const dataset& x) {
        return predictions_of_model{std::vector<double>(static_cast<std::size_t>(x.size()))};
    };
    const metric& mse = find_metric("mse", target_kind::values);
    const dataset x = dense<double>(data.x.view());
    expect_error(errc::invalid_argument, "300 examples, but 0 targets",
                 [&] { permutation_importance(x, {}, {}, mse, model); });
    importance_options none;
    none.repeats = 0;
    expect_error(errc::invalid_argument, "repeats >= 1",
                 [&] { permutation_importance(x, data.y, {}, mse, model, none); });
}

// --- the whole

TEST(evaluation, of_classes_has_what_the_answers_allow) {
    evaluation_input a{target_kind::classes, {0, 0, 1, 1, 1, 0}, {0, 1, 1, 1, 0, 0}, {0, 1}};
    const evaluation bare = evaluate(a);
    EXPECT_NE(bare.find("accuracy"), nullptr);
    EXPECT_EQ(bare.find("accuracy")->interval_method, "Wilson");
    EXPECT_EQ(bare.find("auc"), nullptr);
    EXPECT_EQ(bare.find("log_loss"), nullptr);
    EXPECT_TRUE(bare.curves.empty());
    a.scores = matrix<double>(6, 2);
    for (index i = 0; i < 6; ++i)
        a.scores(i, 1) = a.predicted[static_cast<std::size_t>(i)], a.scores(i, 0) = -a.scores(i, 1);
    const evaluation scored = evaluate(a);
    ASSERT_EQ(scored.curves.size(), 1u);  // for two classes one curve contains all information
    EXPECT_EQ(scored.curves[0].label, 1);
    EXPECT_TRUE(scored.curves[0].probabilities.bins.empty());
    EXPECT_NEAR(scored.find("auc")->value, scored.curves[0].order.area, 1e-15);
}

TEST(evaluation, of_one_class_has_no_area) {
    evaluation_input a{target_kind::classes, {1, 1, 1}, {1, 1, 0}, {0, 1}};
    a.scores = matrix<double>(3, 2);
    for (index i = 0; i < 6; ++i) a.scores.data()[i] = static_cast<double>(i % 3);
    const evaluation all = evaluate(a);
    EXPECT_TRUE(std::isnan(all.find("auc")->value));
    EXPECT_TRUE(std::isnan(all.find("auc")->range.low));
    EXPECT_FALSE(all.curves[0].order.has_roc());
    EXPECT_DOUBLE_EQ(all.find("accuracy")->value, 2.0 / 3);
}

TEST(evaluation, names_the_row_of_what_is_not_finite) {
    expect_error(errc::data, "needs examples with targets", [] { evaluate({}); });
    expect_error(errc::data, "row 1: the target must be finite, got nan", [] {
        evaluate({target_kind::values, {1, nan}, {1, 1}});
    });
    expect_error(errc::data, "row 0: the prediction must be finite, got inf", [] {
        evaluate({target_kind::values, {1}, {inf}});
    });
    expect_error(errc::invalid_argument, "2 targets, but 1 predictions", [] {
        evaluate({target_kind::values, {1, 2}, {1}});
    });
    expect_error(errc::data, "row 1: a score must be finite", [] {
        evaluation_input a{target_kind::classes, {0, 1}, {0, 1}, {0, 1}};
        a.scores = matrix<double>(2, 2);
        for (index i = 0; i < 4; ++i) a.scores.data()[i] = i == 3 ? nan : 0;
        evaluate(a);
    });
}

TEST(evaluation, of_values_is_the_same_for_any_number_of_threads) {
    std::mt19937_64 random(2);
    std::normal_distribution<double> normal;
    evaluation_input a{target_kind::values, {}, {}};
    for (int i = 0; i < 500; ++i)
        a.y.push_back(normal(random)), a.predicted.push_back(a.y.back() + 0.3 * normal(random));
    const evaluation all = evaluate(a);
    const thread_limit one(1);
    const evaluation alone = evaluate(a);
    for (std::size_t m = 0; m < all.metrics.size(); ++m) {
        EXPECT_EQ(all.metrics[m].value, alone.metrics[m].value);
        EXPECT_EQ(all.metrics[m].range.low, alone.metrics[m].range.low);
        EXPECT_EQ(all.metrics[m].range.high, alone.metrics[m].range.high);
        EXPECT_LT(all.metrics[m].range.low, all.metrics[m].value);
        EXPECT_GT(all.metrics[m].range.high, all.metrics[m].value);
    }
    EXPECT_NEAR(std::hypot(all.residuals.mean, all.residuals.deviation), all.find("rmse")->value, 1e-12);
}

}  // namespace
}  // namespace mercer::testing
