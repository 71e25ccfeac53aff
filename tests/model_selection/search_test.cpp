#include "mercer/model_selection/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "mercer/base/error.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/metrics/metrics.h"
#include "mercer/model_selection/search_space.h"
#include "mercer/preprocess/pipeline.h"
#include "methods/model_support.h"

namespace mercer::api {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

tune_options no_race() {
    tune_options o;
    o.race = false;
    return o;
}

// Every score of the fast path equals the one of cross-validation with complete fits on the same folds, up to the few
// examples within the search's tolerance of the border.
TEST(tune, scores_are_those_of_fits_done_one_by_one) {
    for (const char* name : {"heart_scale.svm", "wine.svm"}) {
        const table data = sample(name);
        const tuning found = tune({"svc", "rbf(gamma=?{0.01,0.1,1})", "", {{"C", "?{0.1,1,100}"}}}, data, no_race());
        ASSERT_EQ(found.trials.size(), 9u);
        const fold_plan plan = stratified_folds(data.y, 5, make_random_below(1));
        for (const trial& t : found.trials) {
            svm_options o;
            o.C = t.at[1];
            const kernel k = gaussian{t.at[0]};
            const auto said = cross_predict(shared_gram(k, data.x, std::size_t{1} << 26), data.y, o, plan).values;
            double mean = 0;
            for (int f = 0; f < 5; ++f) {
                double right = 0;
                for (const index i : plan.held_out(f))
                    right += said[static_cast<std::size_t>(i)] == data.y[static_cast<std::size_t>(i)];
                mean += right / static_cast<double>(plan.held_out(f).size()) / 5;
            }
            EXPECT_NEAR(t.mean, mean, 2.5 / static_cast<double>(data.x.size())) << name << " " << t.what.kernel;
        }
    }
}

TEST(tune, the_best_is_the_best_and_a_race_finds_it_too) {
    const table data = sample("heart_scale.svm");
    const spec s{"svc", "rbf(gamma=?)", "", {{"C", "?"}}};
    const tuning all = tune(s, data, no_race()), raced = tune(s, data);
    EXPECT_EQ(all.trials.size(), 100u);
    for (const trial& t : all.trials) EXPECT_LE(t.mean, all.trials[all.best].mean);
    EXPECT_TRUE(std::ranges::any_of(raced.trials, &trial::dropped));
    EXPECT_FALSE(raced.trials[raced.best].dropped);
    EXPECT_GE(raced.trials[raced.best].mean, all.trials[all.best].mean - 0.01);
    EXPECT_NO_THROW(fit(raced.chosen_spec(), data));
}

TEST(tune, accepts_the_former_name_of_an_option) {
    table data = sample("housing.svm");
    data.x = apply_scaling(*fit_scaling(data.x, "standard"), data.x);
    const auto scores = [&](const char* name) {
        const tuning found = tune({"nystroem_ridge", "rbf(gamma=0.1)", "", {{name, "?{0.01,0.5}"}}}, data, no_race());
        std::vector<double> means;
        for (const trial& t : found.trials) means.push_back(t.mean);
        return means;
    };
    const std::vector<double> found = scores("trace_tol");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NE(found[0], found[1]);
    EXPECT_EQ(scores("accuracy"), found);
}

// Many λ by one reduction, and few by one decomposition each, compared with complete fits.
TEST(tune, ridges_are_scored_as_fits_done_one_by_one) {
    table data = sample("housing.svm");
    data.x = apply_scaling(*fit_scaling(data.x, "standard"), data.x);
    const fold_plan plan = plain_folds(data.x.size(), 5, make_random_below(1));
    for (const auto& [alphas, settings] : {std::pair("?{0.001,0.01,0.1,1,10}", 10u), std::pair("?{0.01,1}", 4u)}) {
        const tuning found = tune({"kernel_ridge", "rbf(gamma=?{0.01,0.1})", "", {{"alpha", alphas}}}, data, no_race());
        EXPECT_EQ(found.how, "5 folds");
        EXPECT_EQ(found.trials.size(), settings);
        for (const trial& t : found.trials)
            for (int f = 0; f < 5; ++f) {
                const std::vector<index> training = plan.training(f);
                table rest{gather(data.x, std::span<const index>(training)), {}, {}, {}};
                for (const index i : training) rest.y.push_back(data.y[static_cast<std::size_t>(i)]);
                const auto out = plan.held_out(f);
                const std::vector<double> said = fit(t.what, rest).predict(gather(data.x, out));
                double sum = 0;
                for (std::size_t i = 0; i < said.size(); ++i)
                    sum += std::pow(said[i] - data.y[static_cast<std::size_t>(out[i])], 2);
                const double rmse = std::sqrt(sum / static_cast<double>(said.size()));
                EXPECT_NEAR(t.scores[static_cast<std::size_t>(f)], rmse, 1e-7 * rmse);
            }
    }
}

// A setting dropped on fewer folds would not have won; it keeps the score it had there.
TEST(tune, a_race_of_ridges_finds_what_all_folds_find) {
    table data = sample("housing.svm");
    const spec s{"kernel_ridge", "rbf(gamma=?)", "standard", {{"alpha", "?"}}};
    const tuning all = tune(s, data, no_race()), raced = tune(s, data);
    ASSERT_EQ(raced.trials.size(), 100u);
    EXPECT_GT(std::ranges::count_if(raced.trials, &trial::dropped), 30);
    EXPECT_EQ(raced.trials[raced.best].at, all.trials[all.best].at);
    EXPECT_NEAR(raced.trials[raced.best].mean, all.trials[all.best].mean, 1e-9);
    for (const trial& t : raced.trials) EXPECT_TRUE(t.dropped || t.scores.size() == 5);
}

TEST(tune, a_ridge_that_has_no_factor_has_no_score) {
    table data = sample("housing.svm");
    data.x = apply_scaling(*fit_scaling(data.x, "standard"), data.x);
    for (index i = 1; i < data.x.size(); i += 2) data.y[static_cast<std::size_t>(i)] = 0;
    const tuning found =
        tune({"kernel_ridge", "sigmoid(gamma=?{0.5,1})", "", {{"alpha", "?{0.01,1e6}"}}}, data, no_race());
    for (const trial& t : found.trials) EXPECT_EQ(t.at[1], 1e6);
}

// The closed form of leave-one-out compared with leaving examples out one by one.
TEST(tune, ridges_are_scored_by_leaving_one_out) {
    table data = sample("housing.svm");
    std::vector<index> few;
    for (index i = 0; i < 40; ++i) few.push_back(i * 12);
    std::vector<double> y;
    for (const index i : few) y.push_back(data.y[static_cast<std::size_t>(i)]);
    data.x = gather(data.x, std::span<const index>(few));
    data.y = y;
    const auto scaling = fit_scaling(data.x, "standard");
    data.x = apply_scaling(*scaling, data.x);
    tune_options each;
    each.folds = 40;
    const tuning found = tune({"kernel_ridge", "rbf(gamma=?{0.01,0.1})", "", {{"alpha", "?{0.01,1}"}}}, data, each);
    ASSERT_EQ(found.trials.size(), 4u);
    EXPECT_EQ(found.metric, "rmse");
    EXPECT_EQ(found.how, "leave-one-out, in closed form");
    for (const trial& t : found.trials) {
        double sum = 0;
        for (index out = 0; out < 40; ++out) {
            table rest{{}, {}, {}, {}};
            std::vector<index> others;
            for (index i = 0; i < 40; ++i)
                if (i != out) others.push_back(i), rest.y.push_back(data.y[static_cast<std::size_t>(i)]);
            rest.x = gather(data.x, std::span<const index>(others));
            const double said = fit(t.what, rest).predict(gather(data.x, row_set(out, 1)))[0];
            sum += std::pow(said - data.y[static_cast<std::size_t>(out)], 2) / 40;
        }
        EXPECT_NEAR(t.mean, std::sqrt(sum), 1e-6 * std::sqrt(sum));
    }
}

TEST(tune, every_search_finds_a_good_setting_of_every_method_that_learns_from_targets) {
    const table wine = sample("wine.svm");
    for (const char* search : {"grid", "random", "halving", "model"}) {
        tune_options o;
        o.search = search;
        o.trials = 12;
        o.points = 3;
        const tuning found = tune({"svc", "rbf(gamma=?)", "standard", {{"C", "?"}}}, wine, o);
        EXPECT_GT(found.trials[found.best].mean, 0.95) << search;
    }
    tune_options few;
    few.points = 2;
    for (const method& m : methods()) {
        if (m.targets != target_kind::classes && m.targets != target_kind::values) continue;
        for (const auto& option : m.options) {
            if (option.name != "C" && option.name != "alpha" && option.name != "nu" && option.name != "n_neighbors")
                continue;
            const spec s{m.name, m.takes_kernel ? "rbf(gamma=0.05)" : "", "standard", {{option.name, "?"}}};
            EXPECT_NO_THROW(tune(s, wine, few)) << m.name << " " << option.name;
        }
    }
}

TEST(tune, a_log_is_gone_on_from) {
    const table data = sample("heart_scale.svm");
    const std::string path = ::testing::TempDir() + "tune.log";
    std::filesystem::remove(path);
    const spec s{"svc", "rbf(gamma=?{0.01,0.1,1})", "", {{"C", "?{1,10}"}}};
    tune_options o = no_race();
    o.log = path;
    const tuning first = tune(s, data, o);
    index asked = 0;
    o.progress = [&](const tune_progress&) { return ++asked, true; };
    const tuning again = tune(s, data, o);
    EXPECT_EQ(asked, 0);  // all settings were in the log
    ASSERT_EQ(again.trials.size(), first.trials.size());
    for (std::size_t i = 0; i < first.trials.size(); ++i) EXPECT_EQ(again.trials[i].scores, first.trials[i].scores);
    o.folds = 4;
    EXPECT_THAT(failure([&] { tune(s, data, o); }), HasSubstr("the log belongs to another search ("));
    std::ofstream(path) << "no json\n";
    EXPECT_THAT(failure([&] { tune(s, data, o); }), HasSubstr("tune.log:1"));
}

TEST(tune, stopped_it_keeps_the_best_so_far) {
    const table data = sample("heart_scale.svm");
    tune_options o;
    o.points = 8;
    int calls = 0;
    o.progress = [&](const tune_progress&) { return ++calls < 2; };
    const tuning found = tune({"svc", "rbf(gamma=?)", "", {{"C", "?"}}}, data, o);
    EXPECT_FALSE(found.complete);
    EXPECT_GT(found.trials.size(), 0u);
}

TEST(tune, the_same_for_any_number_of_threads) {
    for (const spec& s : {spec{"svc", "rbf(gamma=?)", "standard", {{"C", "?"}}},
                          spec{"kernel_ridge", "rbf(gamma=?)", "standard", {{"alpha", "?"}}}}) {
        const table data = sample(s.method == "svc" ? "wine.svm" : "housing.svm");
        fit_control one;
        one.threads = 1;
        const tuning a = tune(s, data, {}, one), b = tune(s, data);
        ASSERT_EQ(a.trials.size(), b.trials.size());
        for (std::size_t i = 0; i < a.trials.size(); ++i) EXPECT_EQ(a.trials[i].scores, b.trials[i].scores);
    }
}

// Raw columns and a polynomial: pair updates converge slowly and float overflows, so complete fits are used. Every
// score comes from a fit that converged, or is missing.
TEST(tune, what_pair_steps_do_not_reach_is_fitted_whole) {
    table data = sample("heart_scale.svm");
    matrix<double> raw(data.x.size(), data.x.dims());
    const dense<double> rows = as_dense<double>(data.x);
    for (index i = 0; i < raw.rows(); ++i)
        for (index a = 0; a < raw.cols(); ++a) raw(i, a) = 1e4 * rows.row(i)[a] + 1e3;
    data.x = dense<double>(std::move(raw));
    const tuning found = tune({"svc", "poly(degree=?{2,12})", "", {{"C", "?{0.01,1}"}}}, data, no_race());
    ASSERT_EQ(found.trials.size(), 2u);  // 1e8¹² is beyond float
    const fold_plan plan = stratified_folds(data.y, 5, make_random_below(1));
    for (const trial& t : found.trials) {
        EXPECT_EQ(t.at[0], 2);
        svm_options o;
        o.C = t.at[1];
        const auto said =
            cross_predict(shared_gram(kernel::parse("poly(degree=2)"), data.x, 1 << 26), data.y, o, plan).values;
        const double right = static_cast<double>(count_correct(data.y, said)) / static_cast<double>(said.size());
        EXPECT_NEAR(t.mean, right, 0.01);
    }
    const tuning hard = tune({"svc", "rbf(gamma=?{1e-9,1e-8})", "", {{"C", "inf"}}}, data, no_race());
    for (const trial& t : hard.trials) EXPECT_GT(t.mean, 0.5);
}

TEST(tune, what_cannot_be_tuned_says_why) {
    const table data = sample("heart_scale.svm");
    const auto trying = [&](const spec& s, const tune_options& o = {}) { return failure([&] { tune(s, data, o); }); };
    EXPECT_THAT(trying({"svc", "rbf(gamma=1)", "", {{"C", "1"}}}),
                HasSubstr("no option or parameter is left open for tuning"));
    EXPECT_THAT(trying({"kernel_pca", "rbf(gamma=?)", "", {}}), HasSubstr("no targets"));
    EXPECT_THAT(trying({"svc", "rbf(gamma=1)", "", {{"C", "?[-1, 5]"}}}), HasSubstr("0 < C <= inf, got '-1'"));
    table broken = data;
    matrix<double> two(2, 1);
    two(0, 0) = std::nan("");
    broken.x = dense<double>(std::move(two));
    broken.y = {1, -1};
    EXPECT_THAT(failure([&] { tune({"svc", "rbf(gamma=?)", "", {}}, broken); }), HasSubstr("nan"));
    EXPECT_THAT(trying({"svc", "rbf(gama=?)", "", {}}), HasSubstr("gama has no default range"));
    tune_options o;
    o.metric = "rmse";
    EXPECT_THAT(trying({"svc", "rbf(gamma=?)", "", {}}, o), HasSubstr("there is no metric 'rmse' of classes"));
    o = {};
    o.search = "luck";
    EXPECT_THAT(trying({"svc", "rbf(gamma=?)", "", {}}, o), HasSubstr("'grid', 'random', 'halving' or 'bayes'"));
    o = {};
    o.folds = 1000;
    EXPECT_THAT(trying({"svc", "rbf(gamma=?)", "", {}}, o), HasSubstr("folds"));
    table one = data;
    std::ranges::fill(one.y, 1.0);
    EXPECT_THAT(failure([&] { tune({"svc", "rbf(gamma=?)", "", {{"C", "?"}}}, one); }), HasSubstr("single class"));
}

}  // namespace
}  // namespace mercer::api
