#include "mercer/solvers/smo/c_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contracts/property.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/svm/fit_svm.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;

smo::padded_matrix matrix_of(const kernel& k, const dataset& x) {
    smo::padded_matrix out(x.size());
    cpu_kernel_gram<float>(k, x).fill(out.view());
    out.finish();
    return out;
}

// For every C the objective is that of the exact solver, and the held-out examples get the same class.
TEST(c_path, solves_what_smo_solves_at_every_price) {
    const table data = sample("sonar.svm");
    for (const double gamma : {0.05, 1.0, 8.0}) {
        const kernel k = gaussian{gamma};
        const smo::padded_matrix K = matrix_of(k, data.x);
        std::vector<index> training, held_out;
        std::vector<double> sign, y;
        for (index i = 0; i < data.x.size(); ++i) {
            const double label = data.y[static_cast<std::size_t>(i)];
            const bool out = i % 5 == 3;
            sign.push_back(out ? 0.0 : label == data.y[0] ? 1.0 : -1.0);
            (out ? held_out : training).push_back(i);
            if (!out) y.push_back(sign.back());
        }
        const dataset x = gather(data.x, std::span<const index>(training));
        const dataset z = gather(data.x, std::span<const index>(held_out));
        smo::c_path path(K, sign);
        for (const double C : {0.01, 0.1, 1.0, 3.0, 100.0, 1000.0}) {
            path.solve(C, 1e-4, 10'000'000);
            svm_options o;
            o.C = C;
            o.tol = 1e-4;
            const svm_model exact = fit_svm(k, x, y, o);
            EXPECT_LE(path.gap(), 1e-4);
            EXPECT_NEAR(path.objective(), exact.reports[0].objective,
                        1e-4 * std::abs(exact.reports[0].objective) + 1e-6);
            const matrix<double> f = decide(exact, z);
            const double side = exact.classes[0];  // the positive class of the model
            for (std::size_t i = 0; i < held_out.size(); ++i)
                EXPECT_NEAR(path.decision(held_out[i]), side * f(static_cast<index>(i), 0), 5e-3) << gamma << " " << C;
        }
    }
}

// More examples than a working set, and values of C for which updates of pairs among all examples converge slowly.
TEST(c_path, blocks_lead_to_the_same_end) {
    const table all = sample("digits.svm.xz");
    std::vector<index> rows;
    std::vector<double> sign;
    for (index i = 0; i < all.x.size(); ++i)
        if (const double label = all.y[static_cast<std::size_t>(i)]; label > 2)
            rows.push_back(i), sign.push_back(label == 3 || label == 8 || label == 5 ? 1.0 : -1.0);
    const dataset x = gather(all.x, std::span<const index>(rows));
    for (const double gamma : {1e-5, 1e-3}) {
        const kernel k = gaussian{gamma};
        const smo::padded_matrix K = matrix_of(k, x);
        smo::c_path path(K, sign);
        for (const double C : {0.1, 10.0, 1000.0}) {
            path.solve(C, 1e-3, 10'000'000);
            EXPECT_LE(path.gap(), 1e-3);
            svm_options o;
            o.C = C;
            const double exact = fit_svm(k, x, sign, o).reports[0].objective;
            EXPECT_NEAR(path.objective(), exact, 1e-3 * std::abs(exact)) << gamma << " " << C;
        }
    }
}

TEST(c_path, solves_regression_with_one_variable_for_each_example) {
    const table data = sample("housing.svm");
    std::vector<index> training, held_out;
    std::vector<std::uint8_t> is_training;
    std::vector<double> y;
    for (index i = 0; i < data.x.size(); ++i) {
        const bool out = i % 4 == 1;
        is_training.push_back(!out);
        (out ? held_out : training).push_back(i);
        if (!out) y.push_back(data.y[static_cast<std::size_t>(i)]);
    }
    const dataset x = gather(data.x, std::span<const index>(training));
    const dataset z = gather(data.x, std::span<const index>(held_out));
    for (const double gamma : {1e-6, 1e-4, 1e-2})
        for (const double epsilon : {0.0, 0.5, 3.0}) {
            const kernel k = gaussian{gamma};
            const smo::padded_matrix K = matrix_of(k, data.x);
            smo::c_path path(K, data.y, is_training, epsilon);
            for (const double C : {0.1, 10.0, 300.0}) {
                path.solve(C, 1e-4, 20'000'000);
                svm_options o;
                o.task = svm_task::epsilon_svr;
                o.C = C;
                o.epsilon = epsilon;
                o.tol = 1e-4;
                const svm_model exact = fit_svm(k, x, y, o);
                EXPECT_LE(path.gap(), 1e-4);
                EXPECT_NEAR(path.objective(), exact.reports[0].objective,
                            1e-4 * std::abs(exact.reports[0].objective) + 1e-6);
                const matrix<double> f = decide(exact, z);
                double sum = 0;
                for (std::size_t i = 0; i < held_out.size(); ++i)
                    EXPECT_NEAR(path.decision(held_out[i]), f(static_cast<index>(i), 0), 0.02) << gamma << " " << C;
                for (index i = 0; i < data.x.size(); ++i) {
                    sum += path.alpha(i);
                    EXPECT_LE(std::abs(path.alpha(i)), is_training[static_cast<std::size_t>(i)] ? C : 0.0);
                }
                EXPECT_NEAR(sum, 0, 1e-9 * C * static_cast<double>(y.size()));
            }
        }
}

TEST(c_path, keeps_within_the_box_and_takes_weights_as_factors_of_the_price) {
    const table data = sample("heart_scale.svm");
    const smo::padded_matrix K = matrix_of(gaussian{0.2}, data.x);
    std::vector<double> weight(data.y.size());
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<double>(i % 4) / 2;  // 0 is absence
    smo::c_path path(K, data.y, weight);
    for (const double C : {0.5, 20.0}) {
        path.solve(C, 1e-3, 1'000'000);
        double sum = 0;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            const double a = path.alpha(static_cast<index>(i)) * data.y[i];
            EXPECT_GE(a, 0);
            EXPECT_LE(a, C * weight[i]);
            sum += path.alpha(static_cast<index>(i));
        }
        EXPECT_NEAR(sum, 0, 1e-9 * C * static_cast<double>(weight.size()));
        EXPECT_TRUE(path.has_bounded_alpha());
    }
}

// If no α is at C, a larger C changes nothing and takes no steps.
TEST(c_path, nothing_is_left_to_do_beyond_the_hard_margin) {
    const table data = sample("sonar.svm");
    const smo::padded_matrix K = matrix_of(gaussian{5.0}, data.x);
    std::vector<double> sign;
    for (const double label : data.y) sign.push_back(label == data.y[0] ? 1.0 : -1.0);
    smo::c_path path(K, sign);
    path.solve(1000, 1e-3, 1'000'000);
    ASSERT_FALSE(path.has_bounded_alpha());
    const double objective = path.objective();
    path.solve(10000, 1e-3, 1'000'000);
    EXPECT_EQ(path.steps(), 0);
    // Scaling all multipliers may gain at most what the tolerance allows.
    EXPECT_NEAR(path.objective(), objective, 1e-6 * std::abs(objective));
}

TEST(c_path, stops_after_so_many_steps) {
    const table data = sample("heart_scale.svm");
    const smo::padded_matrix K = matrix_of(gaussian{0.2}, data.x);
    smo::c_path path(K, data.y);
    path.solve(100, 1e-6, 7);
    EXPECT_EQ(path.steps(), 7);
    EXPECT_GT(path.gap(), 1e-6);
}

}  // namespace
}  // namespace mercer
