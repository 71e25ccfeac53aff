#include "mercer/solvers/linear_svm/coordinate_descent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "solvers/linear_svm/linear_support.h"

namespace mercer {
namespace {

using namespace svm_testing;
using vec = std::vector<double>;

TEST(dual_coordinate_descent, has_the_objective_of_smo_with_a_constant_feature) {
    for (const double C : {0.01, 1.0, 30.0})
        for (const double constant : {0.0, 1.0, 3.0}) {
            SCOPED_TRACE(C * 100 + constant);
            const sample s = every(standardised(heart()), 2);
            // Without an offset the dual has no equality constraint: SMO solves it on the data and their mirror images
            // with y = ±1, whose b is 0 by symmetry.
            sample both;
            for (std::size_t i = 0; i < s.x.size(); ++i) {
                point p = s.x[i], q = p;
                p.push_back(constant);
                for (double& v : q) v = -v;
                q.push_back(-constant);
                both.x.push_back(p), both.y.push_back(s.y[i]);
                both.x.push_back(q), both.y.push_back(-s.y[i]);
            }
            const svm_model m = fit_svm(kernel::parse("linear()"), dense_data(both.x), both.y,
                                        options_for(svm_task::c_svc, C / 2, 1e-7));
            const dataset x = dense_data(s.x);
            const auto rows = make_linear_operand(x, constant);
            coordinate_descent_options o;
            o.tol = 1e-6, o.max_epochs = 200000;
            const vec weights(s.x.size(), C);
            const descent_result r = solve_dual_coordinate_descent({*rows, s.y, weights}, o);
            EXPECT_EQ(r.status, fit_status::converged);
            EXPECT_NEAR(r.dual, -m.reports[0].objective, 1e-5 * r.dual);
            EXPECT_NEAR(r.primal, -m.reports[0].objective, 1e-4 * r.dual);
            EXPECT_LE(r.gap, 1e-4);
        }
}

TEST(dual_coordinate_descent, squared_hinge_meets_its_primal) {
    const sample s = heart();
    const dataset x = sparse_data(s.x);
    const auto rows = make_linear_operand(x);
    const vec C(s.x.size(), 2.0);
    coordinate_descent_options o;
    o.loss = hinge_power::l2, o.tol = 1e-8, o.max_epochs = 100000;
    const descent_result r = solve_dual_coordinate_descent({*rows, s.y, C}, o);
    EXPECT_EQ(r.status, fit_status::converged);
    EXPECT_LE(r.gap, 1e-8);
    EXPECT_NEAR(r.primal, objective(s, r.w, 0, C, true), 1e-9 * r.primal);
    // The loss is smooth: the gradient w - 2 Σ C max(0, 1 - y f) y x is zero.
    vec g = r.w;
    for (std::size_t i = 0; i < s.x.size(); ++i)
        for (std::size_t j = 0; j < g.size(); ++j)
            g[j] -= 2 * C[i] * std::max(0.0, 1 - s.y[i] * dot(r.w, s.x[i])) * s.y[i] * s.x[i][j];
    for (const double each : g) EXPECT_NEAR(each, 0, 1e-4);
}

TEST(dual_coordinate_descent, shrinking_changes_nothing_but_the_time) {
    const sample s = clouds(300, 10, 2, 0.1, 3);
    const dataset x = dense_data(s.x);
    const auto rows = make_linear_operand(x, 1);
    const vec C(s.x.size(), 1.0);
    double dual[2];
    for (const bool shrinking : {false, true}) {
        coordinate_descent_options o;
        o.shrinking = shrinking, o.tol = 1e-6, o.max_epochs = 100000;
        dual[shrinking] = solve_dual_coordinate_descent({*rows, s.y, C}, o).dual;
    }
    EXPECT_NEAR(dual[0], dual[1], 1e-6 * dual[0]);
}

}  // namespace
}  // namespace mercer
