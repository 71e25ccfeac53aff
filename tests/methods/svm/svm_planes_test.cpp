// Linear problems that are hard to solve: a large C, many points at the origin, examples far from it, columns of very
// different scale.
#include "mercer/methods/svm/cross_validation.h"
#include "methods/svm/svm_ends.h"

namespace mercer::svm_testing {
namespace {

// Pair updates would need 10⁶ to 10⁹ steps here: Newton's method and the barrier method must solve these problems.
TEST(svm_adversarial, planes_at_a_large_C) {
    for (const double C : {1e2, 1e4, 1e6}) {
        ends(linear_kernel(), load("heart_scale.svm"), options_for(svm_task::c_svc, C), true);
        ends(linear_kernel(), load("breast-cancer.svm"), options_for(svm_task::c_svc, C), true);
    }
    ends(linear_kernel(), load("housing.svm"), options_for(svm_task::epsilon_svr, 1e2), true);
    ends(rbf(1e-4), load("heart_scale.svm"), options_for(svm_task::c_svc, 1e8), true);
    ends(rbf(1e-6), load("housing.svm"), options_for(svm_task::epsilon_svr, 1e6), true);
}

// A linear kernel is 0 at the origin: only the equality constraint restricts such a variable.
TEST(svm_adversarial, planes_through_many_points_at_the_origin) {
    std::mt19937 random(3);
    std::uniform_int_distribution<int> corner(-1, 1);
    std::normal_distribution<double> noise;
    for (const index dims : {1, 3}) {
        sample s;
        for (int i = 0; i < 400; ++i) {
            point x;
            for (index a = 0; a < dims; ++a) x.push_back(corner(random));
            s.y.push_back(x[0] + noise(random));
            s.x.push_back(std::move(x));
        }
        for (const double C : {1.0, 3.5e3}) {
            svm_options o = options_for(svm_task::epsilon_svr, C);
            o.epsilon = 0.06;
            ends(linear_kernel(), s, o, true);
            ends(linear_kernel(), s, options_for(svm_task::nu_svr, C), true);
        }
    }
}

// Only one-class learning has a nonzero sum of α, so that the position of the origin matters.
TEST(svm_adversarial, planes_far_from_the_origin) {
    const sample near = standardised(every(load("housing.svm"), 2));
    for (const double away : {1e3, 1e5}) {
        sample far = near;
        for (point& x : far.x)
            for (double& each : x) each += away;
        sample moved = far;  // its rounding error, at the origin
        for (point& x : moved.x)
            for (double& each : x) each -= away;
        for (const auto task : {svm_task::epsilon_svr, svm_task::nu_svr}) {
            svm_options o = options_for(task, 1);
            o.tol = 1e-5;
            const svm_model there = fit(linear_kernel(), far, o), here = fit(linear_kernel(), moved, o);
            EXPECT_EQ(there.reports[0].status, fit_status::converged);
            EXPECT_NEAR(there.reports[0].objective, here.reports[0].objective,
                        1e-6 * std::abs(here.reports[0].objective));
            const matrix<double> f = decide(there, dense_data(far.x)), g = decide(here, dense_data(moved.x));
            // Rounding of Σcₖxᵀxₖ, whose terms are as large as cₖ·away²
            double mass = 0;
            for (index j = 0; j < there.coef.cols(); ++j) mass += std::abs(there.coef(0, j));
            const double noise = 1e-3 + 1e-14 * mass * away * away;
            for (index i = 0; i < f.rows(); ++i) ASSERT_NEAR(f(i, 0), g(i, 0), noise) << away;
        }
    }
}

// The scales of the columns differ by 10¹⁰: a barrier method that measures its progress by the initial multipliers
// would stop early.
TEST(svm_adversarial, planes_over_columns_of_very_different_size) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    sample s;
    for (int i = 0; i < 600; ++i) {
        point x;
        double y = 0;
        for (int a = 0; a < 40; ++a) {
            const double scale = std::pow(10.0, -3 + 7.0 * a / 39);
            x.push_back(scale * (normal(random) + (a % 2 == 0 ? 4 : 0)));
            y += x.back() / scale * (a % 3 - 1);
        }
        s.x.push_back(std::move(x));
        s.y.push_back(y + normal(random));
    }
    ends(linear_kernel(), s, options_for(svm_task::nu_svr, 4), true);
    ends(linear_kernel(), s, options_for(svm_task::epsilon_svr, 4), true);
}

}  // namespace
}  // namespace mercer::svm_testing
