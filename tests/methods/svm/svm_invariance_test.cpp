// Invariances: results that must not change when an equivalent problem is solved.
#include <gtest/gtest.h>

#include <limits>

#include "contracts/property.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

constexpr double tight = 1e-6;

matrix<double> decisions_at(const svm_model& model, const std::vector<point>& x) {
    return decide(model, dense_data(x));
}

void expect_same_decisions(const matrix<double>& a, const matrix<double>& b, double tolerance) {
    ASSERT_EQ(a.rows(), b.rows());
    ASSERT_EQ(a.cols(), b.cols());
    for (index i = 0; i < a.rows(); ++i)
        for (index j = 0; j < a.cols(); ++j)
            ASSERT_NEAR(a(i, j), b(i, j), tolerance) << "object " << i << ", problem " << j;
}

// With a Gaussian kernel (strictly convex) the optimum is unique except for b if there are no margin vectors (for ν: on
// one of the two sides).
bool offset_is_unique(const svm_model& m) {
    return std::all_of(m.reports.begin(), m.reports.end(),
                       [](const svm_report& r) { return r.margin_vectors > 0 && r.offset_high - r.offset_low < 1e-6; });
}

// A random problem: a task, points and targets.
struct question {
    sample s;
    svm_options o;
    formula k = rbf(1);
};

question random_question() {
    const auto seed = arbitrary::integer(0u, 1000000u);
    const index n = arbitrary::integer<index>(8, 70);
    question q;
    const auto task = arbitrary::one_of(
        {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr});
    const bool regression = task == svm_task::epsilon_svr || task == svm_task::nu_svr;
    q.s = regression ? wave(n, 2, seed) : clouds(n, 2, 2, 0, seed);
    q.o = options_for(task, arbitrary::one_of({0.1, 1.0, 10.0}), tight);
    if (task == svm_task::nu_svc) q.o.tol = 1e-8;  // its decisions are divided by a margin that may be small
    q.o.nu = arbitrary::one_of({0.3, 0.5, 0.7});
    q.k = rbf(arbitrary::one_of({0.3, 1.0, 4.0}));
    return q;
}

PROPERTY(svm_invariance, random_machines_meet_the_contract) {
    question q = random_question();
    q.o.tol = arbitrary::one_of({1e-2, 1e-3, 1e-5});
    fit_and_check(q.k, q.s, q.o);
    MUST_HOLD(!::testing::Test::HasFailure());
}

PROPERTY(svm_invariance, an_example_twice_is_an_example_of_weight_two) {
    const question q = random_question();
    question weighted = q, repeated = q;
    weighted.o.sample_weight.assign(q.s.x.size(), 1.0);
    const bool pairs = q.o.task == svm_task::nu_svc;  // keeps the classes balanced, which nu requires
    for (std::size_t i = 0; i + 1 < q.s.x.size(); i += 4)
        for (std::size_t r = i; r <= i + (pairs ? 1u : 0u); ++r) {
            weighted.o.sample_weight[r] = 2;
            repeated.s.x.push_back(q.s.x[r]);
            repeated.s.y.push_back(q.s.y[r]);
        }
    const svm_model a = fit(weighted.k, weighted.s, weighted.o), b = fit(repeated.k, repeated.s, repeated.o);
    EXPECT_NEAR(a.reports[0].objective, b.reports[0].objective, 1e-5 * (1 + std::abs(a.reports[0].objective)));
    if (offset_is_unique(a) && offset_is_unique(b))
        expect_same_decisions(decisions_at(a, q.s.x), decisions_at(b, q.s.x), 2e-3);
    MUST_HOLD(!::testing::Test::HasFailure());
}

// ν·n/2 is an integer: all α are at a bound, and rounding must not turn an example into a margin vector.
TEST(svm_invariance, rounding_makes_no_margin_vectors) {
    question q;
    q.s = wave(8, 2, 0);
    q.o = options_for(svm_task::nu_svr, 0.1, tight);
    q.o.nu = 0.5;
    q.o.sample_weight.assign(8, 1.0);
    q.o.sample_weight[0] = q.o.sample_weight[4] = 2;
    const svm_model m = fit(q.k, q.s, q.o);
    index inside = 0;
    for (index s = 0; s < m.coef.cols(); ++s) {
        const double bound =
                         0.1 * q.o.sample_weight[static_cast<std::size_t>(m.support_rows[static_cast<std::size_t>(s)])],
                     a = std::abs(m.coef(0, s));
        inside += a > 1e-9 && a < bound - 1e-9;
    }
    EXPECT_EQ(m.reports[0].margin_vectors, inside);
}

PROPERTY(svm_invariance, an_example_of_weight_zero_is_not_there) {
    const question q = random_question();
    question extended = q;
    extended.o.sample_weight.assign(q.s.x.size(), 1.0);
    for (int i = 0; i < 5; ++i) {
        const std::size_t at = static_cast<std::size_t>(i) * 2;
        extended.s.x.insert(extended.s.x.begin() + static_cast<std::ptrdiff_t>(at), {100.0 * i, -3});
        extended.s.y.insert(extended.s.y.begin() + static_cast<std::ptrdiff_t>(at),
                            17 + i);  // even its label is removed
        extended.o.sample_weight.insert(extended.o.sample_weight.begin() + static_cast<std::ptrdiff_t>(at), 0);
    }
    const svm_model a = fit(q.k, q.s, q.o), b = fit(extended.k, extended.s, extended.o);
    ASSERT_EQ(a.classes, b.classes);
    ASSERT_EQ(a.support_rows.size(), b.support_rows.size());
    EXPECT_NEAR(a.reports[0].objective, b.reports[0].objective, 1e-9 * (1 + std::abs(a.reports[0].objective)));
    expect_same_decisions(decisions_at(a, q.s.x), decisions_at(b, q.s.x), 1e-5);
    MUST_HOLD(!::testing::Test::HasFailure());
}

PROPERTY(svm_invariance, the_order_of_the_examples) {
    const question q = random_question();
    question shuffled = q;
    std::vector<std::size_t> order(q.s.x.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(arbitrary::integer(0u, 1000u)));
    for (std::size_t i = 0; i < order.size(); ++i) shuffled.s.x[i] = q.s.x[order[i]], shuffled.s.y[i] = q.s.y[order[i]];
    const svm_model a = fit(q.k, q.s, q.o), b = fit(shuffled.k, shuffled.s, shuffled.o);
    EXPECT_NEAR(a.reports[0].objective, b.reports[0].objective, 1e-6 * (1 + std::abs(a.reports[0].objective)));
    if (offset_is_unique(a) && offset_is_unique(b))
        expect_same_decisions(decisions_at(a, q.s.x), decisions_at(b, q.s.x), 2e-3);
    MUST_HOLD(!::testing::Test::HasFailure());
}

PROPERTY(svm_invariance, a_radial_kernel_does_not_see_where_the_origin_is) {
    const question q = random_question();
    question moved = q;
    for (auto& x : moved.s.x) x[0] += 40, x[1] -= 25;
    const svm_model a = fit(q.k, q.s, q.o), b = fit(moved.k, moved.s, moved.o);
    EXPECT_NEAR(a.reports[0].objective, b.reports[0].objective, 1e-5 * (1 + std::abs(a.reports[0].objective)));
    // Far from the origin ‖x - z‖² is rounded to `rounding`, which changes an objective by rounding times (Σ|α|)²; by
    // strong convexity f changes by at most the square root of this. The effect matters if ν-classification has divided
    // by a small ρ.
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * (40 * 40 + 25 * 25);
    double sum = 0;
    for (index i = 0; i < a.coef.rows() * a.coef.cols(); ++i) sum += std::abs(a.coef.data()[i]);
    if (offset_is_unique(a) && offset_is_unique(b))
        expect_same_decisions(decisions_at(a, q.s.x), decisions_at(b, moved.s.x), 5e-3 + std::sqrt(rounding) * sum);
    MUST_HOLD(!::testing::Test::HasFailure());
}

// min ½‖w‖² + CΣξ: with c·k in place of k and C/c in place of C the same f is optimal, α and the objective are divided
// by c.
PROPERTY(svm_invariance, the_scale_of_the_kernel_against_C) {
    question q = random_question();
    q.o.task = arbitrary::one_of({svm_task::c_svc, svm_task::epsilon_svr});
    if (q.o.task == svm_task::epsilon_svr) q.s = wave(q.s.size(), 2, 3);
    if (q.o.task == svm_task::c_svc)
        for (std::size_t i = 0; i < q.s.y.size(); ++i) q.s.y[i] = i % 2 ? 1 : -1;
    const double c = arbitrary::one_of({0.01, 3.0, 50.0});
    question scaled = q;
    scaled.k.text = number(c) + "*" + q.k.text;
    scaled.o.C = q.o.C / c;
    const svm_model a = fit(q.k, q.s, q.o), b = fit(scaled.k, scaled.s, scaled.o);
    EXPECT_NEAR(a.reports[0].objective, c * b.reports[0].objective, 1e-5 * (1 + std::abs(a.reports[0].objective)));
    if (offset_is_unique(a) && offset_is_unique(b))
        expect_same_decisions(decisions_at(a, q.s.x), decisions_at(b, q.s.x), 2e-3);
    MUST_HOLD(!::testing::Test::HasFailure());
}

TEST(svm_invariance, names_of_labels) {
    const sample iris = standardised(load("iris.svm"));
    const svm_options o = options_for(svm_task::c_svc, 1, tight);
    const svm_model a = fit(rbf(0.25), iris, o);
    sample renamed = iris;
    for (double& y : renamed.y) y = y == 0 ? -1e9 : y == 1 ? 0.5 : 7e15;  // the same order
    const svm_model b = fit(rbf(0.25), renamed, o);
    EXPECT_EQ(b.classes, (std::vector<double>{-1e9, 0.5, 7e15}));
    expect_same_decisions(decisions_at(a, iris.x), decisions_at(b, iris.x), 0);
    const auto plain = predict(a, dense_data(iris.x)), other = predict(b, dense_data(iris.x));
    for (std::size_t i = 0; i < plain.size(); ++i)
        EXPECT_EQ(other[i], plain[i] == 0 ? -1e9 : plain[i] == 1 ? 0.5 : 7e15);

    // Exchanging the two classes changes the sign.
    const sample heart = load("heart_scale.svm");
    sample turned = heart;
    for (double& y : turned.y) y = -y;
    const matrix<double> f = decisions_at(fit(rbf(0.1), heart, o), heart.x),
                         g = decisions_at(fit(rbf(0.1), turned, o), heart.x);
    for (index i = 0; i < f.rows(); ++i) EXPECT_NEAR(f(i, 0), -g(i, 0), 1e-4);
}

TEST(svm_invariance, classes_in_the_order_of_appearance) {
    const sample s{{{0.0}, {1.0}, {5.0}, {6.0}, {10.0}, {11.0}}, {7, 7, 3, 3, 5, 5}};
    svm_options o = options_for(svm_task::c_svc, 10);
    o.sorted_classes = false;
    const svm_model model = fit(rbf(0.5), s, o);
    EXPECT_EQ(model.classes, (std::vector<double>{7, 3, 5}));
    EXPECT_EQ(predict(model, dense_data(s.x)), s.y);
    // LIBSVM orders +1 first although -1 appeared first.
    const sample two{{{0.0}, {1.0}, {5.0}}, {-1, -1, 1}};
    EXPECT_EQ(fit(rbf(0.5), two, o).classes, (std::vector<double>{1, -1}));
}

TEST(svm_invariance, float_and_double_input_agree) {
    // Points that are representable in float.
    sample s = clouds(300, 3, 1.5, 0.05, 3);
    for (auto& x : s.x)
        for (double& v : x) v = std::round(v * 64) / 64;
    for (const auto task : {svm_task::c_svc, svm_task::one_class}) {
        const svm_options o = options_for(task, 2, tight);
        const kernel k = kernel::parse("rbf(gamma=0.5)");
        const svm_model a = fit_svm(k, dense_data<double>(s.x), s.y, o), b = fit_svm(k, dense_data<float>(s.x), s.y, o),
                        c = fit_svm(k, sparse_data<float>(s.x), s.y, o);
        EXPECT_NEAR(a.reports[0].objective, b.reports[0].objective, 1e-7 * std::abs(a.reports[0].objective));
        EXPECT_NEAR(a.reports[0].objective, c.reports[0].objective, 1e-7 * std::abs(a.reports[0].objective));
        const matrix<double> f = decide(a, dense_data<double>(s.x));
        expect_same_decisions(f, decide(b, dense_data<double>(s.x)), 1e-4);
        expect_same_decisions(f, decide(a, dense_data<float>(s.x)), 1e-4);
        expect_same_decisions(f, decide(c, sparse_data<double>(s.x)), 1e-4);
    }
}

TEST(svm_invariance, large_C_meets_the_hard_margin) {
    const sample iris = standardised(load("iris.svm"));  // setosa against the rest can be separated by a plane
    sample s = iris;
    for (double& y : s.y) y = y == 0 ? 1 : -1;
    for (const formula& k : {linear_kernel(), rbf(0.25), poly(3, 0.25, 1)}) {
        const svm_model hard =
            fit_and_check(k, s, options_for(svm_task::c_svc, std::numeric_limits<double>::infinity(), tight));
        const double largest = *std::max_element(hard.coef.data(), hard.coef.data() + hard.coef.cols());
        const svm_model soft = fit_and_check(k, s, options_for(svm_task::c_svc, 1000 * largest, tight));
        EXPECT_NEAR(hard.reports[0].objective, soft.reports[0].objective, 1e-6 * std::abs(hard.reports[0].objective));
        expect_same_decisions(decisions_at(hard, s.x), decisions_at(soft, s.x), 1e-4);
        // Margin 1/‖w‖, and every example at y f >= 1. At the optimum ‖w‖² = Σα, so the dual is -½‖w‖².
        const matrix<double> f = decisions_at(hard, s.x);
        for (index i = 0; i < f.rows(); ++i)
            EXPECT_GE((s.y[static_cast<std::size_t>(i)] == hard.classes[0] ? 1 : -1) * f(i, 0), 1 - 1e-4);
    }
}

TEST(svm_invariance, two_points_by_hand) {
    // x = 1 and x = 3 with a linear kernel: w = 1, b = -2, α = ½ each, margin 1 = 1/‖w‖.
    const sample s{{{3.0}, {1.0}}, {-1, 1}};  // classes sorted: -1 first
    const svm_model m =
        fit(linear_kernel(), s, options_for(svm_task::c_svc, std::numeric_limits<double>::infinity(), tight));
    ASSERT_EQ(m.support_rows.size(), 2u);
    EXPECT_NEAR(m.offset[0], -2, 1e-6);
    EXPECT_NEAR(m.coef(0, 0), 0.5, 1e-6);
    EXPECT_NEAR(m.coef(0, 1), -0.5, 1e-6);
    EXPECT_NEAR(m.reports[0].objective, -0.5, 1e-6);
}

TEST(svm_invariance, one_versus_rest_is_its_binary_problems) {
    const sample wine = standardised(load("wine.svm"));
    svm_options o = options_for(svm_task::c_svc, 2, tight);
    o.classes = multiclass::one_vs_rest;
    const svm_model all = fit(rbf(0.1), wine, o);
    const matrix<double> f = decisions_at(all, wine.x);
    for (std::size_t c = 0; c < all.classes.size(); ++c) {
        sample binary = wine;
        for (double& y : binary.y) y = y == all.classes[c] ? 0 : 1;
        const matrix<double> g = decisions_at(fit(rbf(0.1), binary, o), wine.x);
        for (index i = 0; i < f.rows(); ++i) ASSERT_NEAR(f(i, static_cast<index>(c)), g(i, 0), 1e-4);
    }
}

TEST(svm_invariance, one_versus_one_is_its_binary_problems) {
    const sample wine = standardised(load("wine.svm"));
    const svm_options o = options_for(svm_task::c_svc, 2, tight);
    const svm_model all = fit(rbf(0.1), wine, o);
    const matrix<double> f = decisions_at(all, wine.x);
    index p = 0;
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = a + 1; b < 3; ++b, ++p) {
            sample pair;
            for (std::size_t i = 0; i < wine.x.size(); ++i)
                if (wine.y[i] == all.classes[a] || wine.y[i] == all.classes[b])
                    pair.x.push_back(wine.x[i]), pair.y.push_back(wine.y[i]);
            const matrix<double> g = decisions_at(fit(rbf(0.1), pair, o), wine.x);
            for (index i = 0; i < f.rows(); ++i) ASSERT_NEAR(f(i, p), g(i, 0), 1e-4);
        }
}

TEST(svm_invariance, warm_starts_reach_the_same_optimum) {
    const sample heart = load("heart_scale.svm"), iris = standardised(load("iris.svm")),
                 housing = standardised(load("housing.svm"));
    struct pair {
        const sample* s;
        svm_task task;
        multiclass scheme;
    };
    for (const auto& [s, task, scheme] :
         {pair{&heart, svm_task::c_svc, multiclass::one_vs_one}, pair{&iris, svm_task::c_svc, multiclass::one_vs_one},
          pair{&iris, svm_task::c_svc, multiclass::one_vs_rest},
          pair{&housing, svm_task::epsilon_svr, multiclass::one_vs_one},
          pair{&housing, svm_task::nu_svr, multiclass::one_vs_one},
          pair{&heart, svm_task::nu_svc, multiclass::one_vs_one},
          pair{&heart, svm_task::one_class, multiclass::one_vs_one}}) {
        SCOPED_TRACE(name(task));
        svm_model previous;
        bool has_previous = false;
        for (const double C : {0.1, 1.0, 10.0, 1.0, 0.01}) {
            svm_options o = options_for(task, C, 1e-5);
            o.classes = scheme;
            o.nu = C < 1 ? 0.3 : 0.4;
            const svm_model cold = fit(rbf(0.1), *s, o);
            if (has_previous) o.start = &previous;
            const svm_model warm = fit_and_check(rbf(0.1), *s, o);
            for (std::size_t p = 0; p < cold.reports.size(); ++p)
                EXPECT_NEAR(cold.reports[p].objective, warm.reports[p].objective,
                            1e-5 * (1e-3 + std::abs(cold.reports[p].objective)));
            previous = warm;
            has_previous = true;
        }
        // A fit that starts at its optimum makes no steps.
        svm_options again = options_for(task, 0.01, 1e-4);
        again.nu = 0.3;
        again.classes = scheme;
        again.start = &previous;
        std::int64_t steps = 0;
        for (const auto& r : fit(rbf(0.1), *s, again).reports) steps += r.steps;
        EXPECT_LE(steps, 10);
    }
}

TEST(svm_invariance, a_start_that_does_not_fit_is_ignored) {
    const sample iris = standardised(load("iris.svm"));
    svm_options o = options_for(svm_task::c_svc, 1, 1e-5);
    o.classes = multiclass::one_vs_rest;
    const svm_model rest = fit(rbf(0.25), iris, o);
    o.classes = multiclass::one_vs_one;
    const svm_model pairs = fit(rbf(0.25), iris, o);
    o.start = &rest;
    fit_and_check(rbf(0.25), iris, o);
    o.classes = multiclass::one_vs_rest;
    o.start = &pairs;
    fit_and_check(rbf(0.25), iris, o);
    o.task = svm_task::epsilon_svr;
    fit_and_check(rbf(0.25), iris, o);
    const sample fewer = every(iris, 2);
    o.task = svm_task::c_svc;
    fit_and_check(rbf(0.25), fewer, o);
}

}  // namespace
}  // namespace mercer::svm_testing
