// The solvers that store w: the exact offset, subgradient descent, and common properties of Pegasos and dual coordinate
// descent.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "contracts/errors.h"
#include "mercer/base/context.h"
#include "mercer/data/all_kinds.h"
#include "mercer/data/vectors.h"
#include "mercer/gram/make_gram.h"
#include "mercer/solvers/linear_svm/coordinate_descent.h"
#include "mercer/solvers/linear_svm/kernel_pegasos.h"
#include "solvers/linear_svm/linear_support.h"

namespace mercer {
namespace {

using namespace svm_testing;
using testing::expect_error;
using vec = std::vector<double>;

TEST(best_offset, is_where_a_scan_finds_the_least_loss) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 40; ++trial) {
        const std::size_t n = 2 + random() % 9;
        vec f, y, C;
        for (std::size_t i = 0; i < n; ++i)
            f.push_back(trial % 2 ? normal(random) : std::round(normal(random))), y.push_back(i % 2 ? 1 : -1),
                C.push_back(trial % 3 ? 1 : std::abs(normal(random)) + 0.1);
        const offset_choice found = best_offset(f, y, C, true);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < n; ++i)
            // the loss is piecewise linear, so that a corner is optimal
            least = std::min(least, hinge_loss(f, y[i] - f[i], y, C));
        for (const double b : {found.b, found.low, found.high})
            EXPECT_NEAR(hinge_loss(f, b, y, C), least, 1e-12 * (1 + least));
        // α are multipliers: within the box, balanced, and Σα(1 - y(f+b)) is the loss.
        double sum = 0, value = 0;
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_GE(found.alpha[i], 0);
            EXPECT_LE(found.alpha[i], C[i]);
            sum += found.alpha[i] * y[i];
            value += found.alpha[i] * (1 - y[i] * (f[i] + found.b));
        }
        EXPECT_NEAR(sum, 0, 1e-12);
        EXPECT_NEAR(value, least, 1e-10);
    }
    EXPECT_EQ(best_offset(vec{0, 0}, vec{1, 1}, vec{1, 1}).b, 1);  // one class: any b >= 1
}

TEST(scaled_vector, keeps_value_and_average) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    scaled_vector v(3, true);
    vec plain(3, 0.0), sum(3, 0.0);
    double total = 0;
    for (int t = 1; t <= 400; ++t) {
        const double by = t == 7 ? 0 : t % 5 == 0 ? 1e-4 : 0.9, a = normal(random);
        const std::size_t at = random() % 3;
        v.scale_by(by);
        v.add(a, [&](double c, double* to) { to[at] += c; });
        v.accumulate(t);
        for (double& each : plain) each *= by;
        plain[at] += a;
        for (int j = 0; j < 3; ++j) sum[j] += t * plain[j];
        total += t;
    }
    for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(v.value()[j], plain[j], 1e-9);
        EXPECT_NEAR(v.mean()[j], sum[j] / total, 1e-9);
    }
}

TEST(linear_rows, two_operations) {
    const std::vector<point> x{{1, 0, 2}, {0, 0, 0}, {-1, 3, 0.5}};
    const std::vector<index> some{2, 0};
    for (const double constant : {0.0, 2.0})
        for (const dataset& data : {dense_data(x), dense_data<float>(x), sparse_data(x), sparse_data<float>(x)}) {
            const auto rows = make_linear_operand(data, constant);
            const auto part = make_linear_operand(data, some, constant);
            ASSERT_EQ(rows->dims(), constant != 0 ? 4 : 3);
            ASSERT_EQ(part->rows(), 2);
            vec w{1, 10, 100, 7}, to(4, 1.0);
            EXPECT_EQ(rows->dot(2, w.data()), -1 + 30 + 50 + 7 * constant);
            EXPECT_EQ(part->dot(0, w.data()), -1 + 30 + 50 + 7 * constant);
            EXPECT_EQ(rows->squared_norm(2), 1 + 9 + 0.25 + constant * constant);
            rows->add(0, 2, to.data());
            EXPECT_EQ(to, (vec{3, 1, 5, 1 + 2 * constant}));
        }
    expect_error(errc::unsupported, "strings", [] { make_linear_operand(strings(std::vector<std::string>{"a"})); });
}

// ---- subgradient descent ----

TEST(subgradient, every_kind_of_step_comes_within_one_percent) {
    const sample s = heart();
    const dataset x = dense_data(s.x);
    const auto rows = make_linear_operand(x);
    const vec C(s.x.size(), 1.0);
    const double best = optimum(s, 1);
    struct how {
        index batch;
        step_schedule schedule;
        double eta;
        bool average;
        std::int64_t epochs;
    };
    for (const how& each :
         {how{0, step_schedule::best, 1, false, 2000}, how{0, step_schedule::inverse, 1, true, 2000},
          how{0, step_schedule::inverse_root, 0.01, true, 4000}, how{0, step_schedule::constant, 0.001, true, 8000},
          how{1, step_schedule::inverse, 1, true, 300}, how{16, step_schedule::inverse, 1, true, 300}}) {
        SCOPED_TRACE(static_cast<int>(each.schedule) * 100 + each.batch);
        subgradient_options o;
        o.batch = each.batch, o.schedule = each.schedule, o.eta = each.eta, o.average = each.average,
        o.max_epochs = each.epochs;
        o.tol = 1e-9;
        o.evaluate_every = 50;
        const descent_result r = solve_subgradient({*rows, s.y, C}, o);
        EXPECT_NEAR(r.primal, objective(s, r.w, r.b, C), 1e-9 * r.primal);
        EXPECT_GE(r.primal, best * (1 - 1e-9));
        EXPECT_LE(r.dual, best * (1 + 1e-9));
        EXPECT_LE(r.primal, 1.01 * best);
    }
}

TEST(subgradient, the_gap_is_a_bound_and_ends_the_run) {
    const sample s = heart();
    const dataset x = dense_data(s.x);
    const auto rows = make_linear_operand(x);
    const vec C(s.x.size(), 0.1);
    const double best = optimum(s, 0.1);
    subgradient_options o;
    o.schedule = step_schedule::best;
    o.tol = 0.01;
    o.max_epochs = 5000;
    std::int64_t looks = 0;
    o.progress = [&](const descent_progress& at) {
        ++looks;
        EXPECT_LE(at.dual, best * (1 + 1e-9));
        EXPECT_GE(at.primal, best * (1 - 1e-9));
        return true;
    };
    const descent_result r = solve_subgradient({*rows, s.y, C}, o);
    EXPECT_EQ(r.status, fit_status::converged);
    EXPECT_EQ(looks, r.epochs);
    EXPECT_LE(r.primal, best / 0.99);
    // α is feasible and its value is the dual
    double sum = 0, total = 0;
    vec v(s.x[0].size(), 0.0);
    for (std::size_t i = 0; i < C.size(); ++i) {
        EXPECT_GE(r.alpha[i], 0);
        EXPECT_LE(r.alpha[i], C[i]);
        sum += r.alpha[i] * s.y[i];
        total += r.alpha[i];
        for (std::size_t j = 0; j < v.size(); ++j) v[j] += r.alpha[i] * s.y[i] * s.x[i][j];
    }
    EXPECT_NEAR(sum, 0, 1e-9);
    EXPECT_NEAR(total - dot(v, v) / 2, r.dual, 1e-9);
}

TEST(subgradient, limits_are_statuses_and_nonsense_is_refused) {
    const sample s = clouds(20, 3, 1, 0.1, 1);
    const dataset x = dense_data(s.x);
    const auto rows = make_linear_operand(x);
    const vec C(20, 1.0);
    subgradient_options o;
    o.max_epochs = 3, o.tol = 1e-12;
    EXPECT_EQ(solve_subgradient({*rows, s.y, C}, o).status, fit_status::step_limit);
    o.progress = [](const descent_progress&) { return false; };
    EXPECT_EQ(solve_subgradient({*rows, s.y, C}, o).status, fit_status::cancelled);
    o = {};
    o.change = 0.5;  // J changes by less than this after few epochs
    EXPECT_EQ(solve_subgradient({*rows, s.y, C}, o).status, fit_status::converged);
    o.eta = 2;
    expect_error(errc::invalid_argument, "0 < eta <= 1", [&] { solve_subgradient({*rows, s.y, C}, o); });
    o = {};
    o.schedule = step_schedule::best, o.batch = 4;
    expect_error(errc::unsupported, "whole batch", [&] { solve_subgradient({*rows, s.y, C}, o); });
    vec wrong = C;
    wrong[3] = std::numeric_limits<double>::infinity();
    expect_error(errc::invalid_argument, "example 3", [&] { solve_subgradient({*rows, s.y, wrong}, {}); });
    vec label = s.y;
    label[5] = 0;
    expect_error(errc::data, "example 5", [&] { solve_subgradient({*rows, label, C}, {}); });
}

// Sparse and dense storage, and float and double if the numbers are representable in float, give bit-identical results.
TEST(linear_solvers, the_storage_of_the_data_does_not_show) {
    sample s = clouds(60, 8, 1, 0.1, 9);
    std::mt19937 random(4);
    for (auto& x : s.x)
        for (double& v : x) v = random() % 3 ? 0 : static_cast<float>(v);
    const vec C(60, 1.0);
    const auto all = [&](const dataset& x) {
        const auto rows = make_linear_operand(x, 1);
        const hinge_problem p{*rows, s.y, C};
        vec out;
        const auto put = [&](const descent_result& r) {
            out.insert(out.end(), r.w.begin(), r.w.end()), out.push_back(r.primal), out.push_back(r.dual);
        };
        put(solve_dual_coordinate_descent(p, {}));
        pegasos_options a;
        a.max_epochs = 20, a.project = true;
        put(solve_pegasos(p, a));
        subgradient_options b;
        b.max_epochs = 20, b.batch = 3;
        put(solve_subgradient(p, b));
        b.batch = 0;
        put(solve_subgradient(p, b));
        return out;
    };
    const vec expected = all(dense_data(s.x));
    EXPECT_EQ(all(sparse_data(s.x)), expected);
    EXPECT_EQ(all(dense_data<float>(s.x)), expected);
    EXPECT_EQ(all(sparse_data<float>(s.x)), expected);
}

TEST(linear_solvers, weights_are_repetitions) {
    const sample s = clouds(40, 3, 1, 0.2, 2);
    sample twice = s;
    vec once(40, 1.0), C(40, 1.0);
    for (std::size_t i = 0; i < 40; i += 4) C[i] = 2, twice.x.push_back(s.x[i]), twice.y.push_back(s.y[i]);
    const vec plain(twice.x.size(), 1.0);
    const dataset a = dense_data(s.x), b = dense_data(twice.x);
    const auto rows = make_linear_operand(a), more = make_linear_operand(b);
    coordinate_descent_options o;
    o.tol = 1e-9, o.max_epochs = 100000;
    for (const hinge_power loss : {hinge_power::l1, hinge_power::l2}) {
        o.loss = loss;
        const descent_result x = solve_dual_coordinate_descent({*rows, s.y, C}, o),
                             y = solve_dual_coordinate_descent({*more, twice.y, plain}, o);
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(x.w[j], y.w[j], 1e-5);
    }
    subgradient_options g;
    // The batch solver takes exactly the same steps; without an offset, for which examples with equal margin need an
    // order.
    g.max_epochs = 40, g.tol = 1e-12, g.offset = offset_rule::none;
    const descent_result x = solve_subgradient({*rows, s.y, C}, g), y = solve_subgradient({*more, twice.y, plain}, g);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(x.w[j], y.w[j], 1e-9);
}

TEST(linear_solvers, one_example_twins_zeros_and_sizes_of_C) {
    const std::vector<point> x{{1, 0}, {1, 0}, {0, 0}};
    const vec y{1, -1, 1};
    const dataset data = dense_data(x);
    const auto rows = make_linear_operand(data);
    const std::vector<index> first{0};
    const auto single = make_linear_operand(data, first);
    for (const double size : {1e-9, 1.0, 1e9}) {
        SCOPED_TRACE(size);
        const vec C(3, size);
        coordinate_descent_options c;
        c.tol = 1e-6;
        pegasos_options p;
        p.max_epochs = 50;
        subgradient_options g;
        g.max_epochs = 50;
        for (const descent_result& r : {solve_dual_coordinate_descent({*rows, y, C}, c),
                                        solve_pegasos({*rows, y, C}, p), solve_subgradient({*rows, y, C}, g)}) {
            for (const double each : r.w) EXPECT_TRUE(std::isfinite(each));
            EXPECT_LE(r.dual, r.primal * (1 + 1e-9));
        }
        const vec one{size}, label{1};
        const descent_result r = solve_dual_coordinate_descent({*single, label, one}, c);
        EXPECT_NEAR(r.w[0], std::min(1.0, size), 1e-9);  // ½w² + C max(0, 1-w)
    }
}

// Time spent in measurements counts: a limit applies to the total time, however short the steps are.
TEST(linear_solvers, limits_are_of_all_the_time) {
    const sample s = clouds(30, 2, 1, 0.1, 5);
    const dataset x = dense_data(s.x);
    const auto rows = make_linear_operand(x);
    const cpu_kernel_gram<double> K(kernel::parse("linear()"), x);
    const vec C(30, 1.0);
    const auto limited = [](auto options) {
        options.max_seconds = 0.1, options.max_epochs = std::numeric_limits<std::int64_t>::max(), options.tol = 1e-300;
        options.progress = [](const descent_progress&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return true;
        };
        return options;
    };
    for (const descent_result& r :
         {solve_pegasos({*rows, s.y, C}, limited(pegasos_options{})),
          solve_kernel_pegasos(K, s.y, C, limited(pegasos_options{})).descent,
          solve_subgradient({*rows, s.y, C}, limited(subgradient_options{})),
          solve_dual_coordinate_descent({*rows, s.y, C}, limited(coordinate_descent_options{}))}) {
        EXPECT_EQ(r.status, fit_status::time_limit);
        EXPECT_LE(r.epochs, 7);  // five epochs of 20 ms, and one that detects the limit
        EXPECT_LE(r.dual, r.primal);
    }
}

// An epoch that would take very long ends when it is cancelled, with the current solution.
TEST(linear_solvers, an_epoch_can_be_stopped) {
    const sample s = clouds(30, 2, 1, 0.1, 5);
    const dataset x = dense_data(s.x);
    const vec C(30, 1.0);
    int asked = 0;
    const cancellation_scope scope([&] { return ++asked > 1; });
    pegasos_options o;
    o.max_epochs = std::numeric_limits<std::int64_t>::max(), o.tol = 1e-300, o.evaluate_every = o.max_epochs;
    const kernel_pegasos_result r =
        solve_kernel_pegasos(cpu_kernel_gram<double>(kernel::parse("linear()"), x), s.y, C, o);
    EXPECT_EQ(r.descent.status, fit_status::cancelled);
    EXPECT_GT(r.descent.steps, 0);
    EXPECT_LE(r.descent.dual, r.descent.primal);
}

}  // namespace
}  // namespace mercer
