// Pegasos, with w and with kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "contracts/errors.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/solvers/linear_svm/kernel_pegasos.h"
#include "solvers/linear_svm/linear_support.h"

namespace mercer {
namespace {

using namespace svm_testing;
using vec = std::vector<double>;

TEST(pegasos, comes_within_one_percent_in_three_hundred_epochs) {
    const sample s = heart();
    const dataset x = dense_data(s.x);
    const auto rows = make_linear_operand(x);
    const vec C(s.x.size(), 1.0);
    const double best = optimum(s, 1);
    for (const index batch : {1, 10})
        for (const bool project : {false, true}) {
            SCOPED_TRACE(batch * 10 + project);
            pegasos_options o;
            o.batch = batch, o.project = project, o.offset = offset_rule::exact, o.max_epochs = 300, o.tol = 1e-9,
            o.evaluate_every = 20;
            const descent_result r = solve_pegasos({*rows, s.y, C}, o);
            EXPECT_NEAR(r.primal, objective(s, r.w, r.b, C), 1e-9 * r.primal);
            EXPECT_LE(r.primal, 1.01 * best);
            EXPECT_LE(r.dual, best);
            if (project) {
                EXPECT_LE(dot(r.w, r.w), 270 * (1 + 1e-9));  // 1/λ
            }
        }
}

// An offset fixed to the margin vectors of the last w stays a tenth above the optimum, however many epochs are run.
TEST(pegasos, an_offset_comes_nearer_to_the_optimum_with_more_epochs) {
    const sample s = heart();
    const dataset x = dense_data(s.x);
    const auto rows = make_linear_operand(x);
    const formula g = rbf(0.1);
    matrix<double> values(x.size(), x.size());
    cpu_kernel_gram<double>(kernel::parse(g.text), x).fill(values.view());
    const precomputed<double> K(values.view());
    for (const double price : {1.0, 10.0, 100.0}) {
        const vec C(s.x.size(), price);
        const double best[2] = {
            -fit(linear_kernel(), s, options_for(svm_task::c_svc, price, 1e-7)).reports[0].objective,
            -fit(g, s, options_for(svm_task::c_svc, price, 1e-7)).reports[0].objective};
        for (const int kernel : {0, 1})
            for (const std::uint64_t seed : {1, 2}) {
                SCOPED_TRACE(price * 100 + 10 * kernel + static_cast<double>(seed));
                double above[2];
                for (const int longer : {0, 1}) {
                    pegasos_options o;
                    o.offset = offset_rule::exact, o.tol = 1e-9, o.seed = seed, o.evaluate_every = 50;
                    o.max_epochs = longer ? 500 : 50;
                    const descent_result r =
                        kernel ? solve_kernel_pegasos(K, s.y, C, o).descent : solve_pegasos({*rows, s.y, C}, o);
                    above[longer] = r.primal / best[kernel] - 1;
                    EXPECT_GE(above[longer], -1e-6);
                    EXPECT_LE(r.dual, best[kernel] * (1 + 1e-6));
                    EXPECT_EQ(r.gap, (r.primal - r.dual) / r.primal);
                }
                EXPECT_LE(above[1], std::max(1e-3, above[0] / 2));
            }
    }
}

TEST(pegasos, its_steps_are_those_of_the_formula) {
    // w ← (1 - 1/t)w + (1/(λt)) y x if violated; computed manually for two points whose order does not matter
    const std::vector<point> x{{1.0}, {1.0}};
    const vec y{1, 1}, C{0.5, 0.5};  // λ = 1/ΣC = 1
    const dataset data = dense_data(x);
    const auto rows = make_linear_operand(data);
    vec expected;
    double w = 0;
    for (int t = 1; t <= 6; ++t) {
        const bool violated = w < 1;
        w = (1 - 1.0 / t) * w + (violated ? 1.0 / t : 0);
        expected.push_back(w);
    }
    for (std::int64_t steps = 1; steps <= 6; ++steps) {
        pegasos_options o;
        o.average = false, o.max_steps = steps, o.tol = 1e-300;
        EXPECT_NEAR(solve_pegasos({*rows, y, C}, o).w[0], expected[static_cast<std::size_t>(steps - 1)], 1e-14);
    }
}

TEST(kernel_pegasos, with_a_linear_kernel_is_pegasos_step_by_step) {
    const sample s = clouds(40, 4, 1, 0.1, 7);
    const dataset x = dense_data(s.x);
    const auto rows = make_linear_operand(x);
    const cpu_kernel_gram<double> K(kernel::parse("linear()"), x);
    vec C(40, 0.7);
    for (std::size_t i = 0; i < 40; i += 3) C[i] = 1.9;
    for (const index batch : {1, 7})
        for (std::int64_t steps = 1; steps <= 90; steps += steps < 10 ? 1 : 8) {
            SCOPED_TRACE(steps);
            pegasos_options o;
            o.batch = batch, o.average = steps % 2 == 0, o.max_steps = steps, o.max_epochs = 1000, o.tol = 1e-300,
            o.seed = 5, o.evaluate_every = 1000;
            const descent_result a = solve_pegasos({*rows, s.y, C}, o);
            const kernel_pegasos_result b = solve_kernel_pegasos(K, s.y, C, o);
            ASSERT_EQ(a.steps, b.descent.steps);
            vec w(4, 0.0);
            for (std::size_t i = 0; i < 40; ++i)
                for (std::size_t j = 0; j < 4; ++j) w[j] += b.coef[i] * s.x[i][j];
            const double size = std::sqrt(dot(a.w, a.w));
            for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(w[j], a.w[j], 1e-10 * (1 + size));
            EXPECT_NEAR(a.primal, b.descent.primal, 1e-9 * a.primal);
            EXPECT_NEAR(a.dual, b.descent.dual, 1e-9 * (std::abs(a.dual) + a.primal));
        }
}

TEST(kernel_pegasos, comes_within_one_percent_with_a_gaussian) {
    const sample s = heart();
    const dataset x = dense_data(s.x);
    const formula g = rbf(0.05);
    const svm_model m = fit(g, s, options_for(svm_task::c_svc, 1, 1e-7));
    const double best = -m.reports[0].objective;
    const vec C(s.x.size(), 1.0);
    pegasos_options o;
    o.offset = offset_rule::exact, o.max_epochs = 300, o.tol = 1e-9, o.evaluate_every = 50;
    const auto run = [&](const auto& K) {
        const kernel_pegasos_result r = solve_kernel_pegasos(K, s.y, C, o);
        EXPECT_LE(r.descent.primal, 1.01 * best);
        EXPECT_GE(r.descent.primal, best * (1 - 1e-6));
        EXPECT_LE(r.descent.dual, best * (1 + 1e-6));
    };
    run(cpu_kernel_gram<double>(kernel::parse(g.text), x));
    run(cpu_kernel_gram<float>(kernel::parse(g.text), x));
    o.project = true;
    expect_error(errc::unsupported, "projection", [&] { run(cpu_kernel_gram<double>(kernel::parse(g.text), x)); });
}

}  // namespace
}  // namespace mercer
