// The squared hinge loss with an l1 penalty.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "contracts/errors.h"
#include "mercer/data/vectors.h"
#include "mercer/solvers/linear_svm/coordinate_descent.h"
#include "methods/svm/svm_support.h"

namespace mercer {
namespace {

using namespace svm_testing;
using testing::expect_error;
using vec = std::vector<double>;

std::vector<index> all_of(const sample& s) {
    std::vector<index> rows(s.x.size());
    std::iota(rows.begin(), rows.end(), index{0});
    return rows;
}

coordinate_descent_options squared(double tol) {
    coordinate_descent_options o;
    o.loss = hinge_power::l2, o.tol = tol, o.max_epochs = 200000;
    return o;
}

descent_result solved(const sample& s, const vec& C, double constant, const coordinate_descent_options& o) {
    return solve_l1_coordinate_descent(make_compressed_columns(dense_data(s.x), all_of(s), constant), s.y, C, o);
}

// Checks the optimality conditions: with g the gradient of the loss, g = -sign w where w ≠ 0, and |g| <= 1 where w = 0.
void expect_optimal(const sample& s, const vec& C, double constant, const descent_result& r, double within) {
    vec g(r.w.size(), 0.0);
    double loss = 0;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        point x = s.x[i];
        if (constant != 0) x.push_back(constant);
        const double short_of = std::max(0.0, 1 - s.y[i] * dot(r.w, x));
        loss += C[i] * short_of * short_of;
        for (std::size_t j = 0; j < g.size(); ++j) g[j] -= 2 * C[i] * short_of * s.y[i] * x[j];
    }
    for (std::size_t j = 0; j < g.size(); ++j)
        if (r.w[j] != 0)
            EXPECT_NEAR(g[j], r.w[j] > 0 ? -1 : 1, within);
        else
            EXPECT_LE(std::abs(g[j]), 1 + within);
    for (const double w : r.w) loss += std::abs(w);
    EXPECT_NEAR(r.primal, loss, 1e-10 * loss);
}

TEST(l1_coordinate_descent, meets_the_conditions_of_optimality) {
    const sample s = standardised(load("heart_scale.svm"));
    for (const double size : {0.001, 0.01, 1.0, 30.0})
        for (const double constant : {0.0, 1.0, 100.0}) {
            SCOPED_TRACE(size * 1000 + constant);
            vec C(s.x.size(), size);
            for (std::size_t i = 0; i < C.size(); i += 3) C[i] *= 2;
            const descent_result r = solved(s, C, constant, squared(1e-10));
            EXPECT_EQ(r.status, fit_status::converged);
            expect_optimal(s, C, constant, r, 1e-6 * (1 + size) * (1 + constant));
            EXPECT_LE(r.gap, 1e-6);
            EXPECT_GE(r.gap, -1e-12);
        }
}

// Few coordinates of few examples, more coordinates than examples, equal columns.
TEST(l1_coordinate_descent, leaves_coordinates_out) {
    sample s = clouds(40, 120, 2, 0.0, 3);
    for (auto& x : s.x) x.push_back(x[0]), x.push_back(0);
    const vec C(s.x.size(), 0.05);
    const descent_result r = solved(s, C, 0, squared(1e-9));
    EXPECT_EQ(r.status, fit_status::converged);
    expect_optimal(s, C, 0, r, 1e-6);
    EXPECT_LT(std::count_if(r.w.begin(), r.w.end(), [](double w) { return w != 0; }), 41);
    EXPECT_EQ(r.w.back(), 0);
    // C so small that w = 0 is optimal: |2C Σ yx| <= 1.
    const vec tiny(s.x.size(), 1e-6);
    const descent_result none = solved(s, tiny, 1, squared(1e-4));
    EXPECT_EQ(none.status, fit_status::converged);
    for (const double w : none.w) EXPECT_EQ(w, 0);
    EXPECT_NEAR(none.primal, 40e-6, 1e-15);
    EXPECT_LE(none.gap, 1e-12);
}

TEST(l1_coordinate_descent, shrinking_and_storage_change_nothing) {
    sample s = clouds(200, 30, 2, 0.1, 5);
    for (auto& x : s.x)
        for (double& v : x) v = static_cast<float>(v > 1 ? 0 : v);
    const vec C(s.x.size(), 0.1);
    coordinate_descent_options o = squared(1e-9);
    const descent_result with = solved(s, C, 1, o);
    for (const dataset& x : {sparse_data(s.x), dense_data<float>(s.x), sparse_data<float>(s.x)})
        EXPECT_EQ(solve_l1_coordinate_descent(make_compressed_columns(x, all_of(s), 1), s.y, C, o).w, with.w);
    o.shrinking = false;
    const descent_result without = solved(s, C, 1, o);
    for (std::size_t j = 0; j < with.w.size(); ++j) EXPECT_NEAR(with.w[j], without.w[j], 1e-6);
}

TEST(l1_coordinate_descent, ends_where_it_is_told_to) {
    const sample s = standardised(load("heart_scale.svm"));
    const vec C(s.x.size(), 100.0);
    coordinate_descent_options o = squared(1e-12);
    o.max_epochs = 3;
    const descent_result r = solved(s, C, 1, o);
    EXPECT_EQ(r.status, fit_status::step_limit);
    EXPECT_EQ(r.epochs, 3);
    EXPECT_GT(r.gap, 0);
    o.progress = [](const descent_progress& at) { return at.epoch < 2; };
    EXPECT_EQ(solved(s, C, 1, o).status, fit_status::cancelled);
    o.loss = hinge_power::l1;
    expect_error(errc::unsupported, "squared hinge", [&] { solved(s, C, 1, o); });
    expect_error(errc::invalid_argument, "0 < C", [&] { solved(s, vec(s.x.size(), 0.0), 1, squared(1)); });
}

}  // namespace
}  // namespace mercer
