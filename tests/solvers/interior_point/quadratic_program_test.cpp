// Quadratic programs: optimality conditions, brute force over active sets, and certificates of infeasibility.
#include "mercer/solvers/interior_point/quadratic_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "contracts/errors.h"
#include "mercer/dense/gemm.h"

namespace mercer {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
using vec = std::vector<double>;

// A quadratic program that owns its matrices.
struct program {
    matrix<double> Q, G, A;
    vec p, h, l, r, b;
    quadratic_program view() const { return {Q.view(), p, G.view(), h, l, r, A.view(), b}; }
    index n() const { return static_cast<index>(p.size()); }
};

matrix<double> random_matrix(index rows, index cols, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    matrix<double> a(rows, cols);
    for (index i = 0; i < rows * cols; ++i) a.data()[i] = normal(random);
    return a;
}

// All optimality conditions, from their definition.
void expect_optimal(const program& q, const qp_result& r, double tol) {
    ASSERT_EQ(r.status, fit_status::converged)
        << name(r.status) << " gap " << r.gap << " residuals " << r.primal_residual << ' ' << r.dual_residual;
    vec gradient = q.p;
    for (index i = 0; i < q.n(); ++i) {
        for (index j = 0; j < q.n(); ++j)
            if (q.Q.rows() > 0) gradient[i] += q.Q(std::min(i, j), std::max(i, j)) * r.u[j];
        for (index k = 0; k < q.G.rows(); ++k) gradient[i] += q.G(k, i) * r.z[k];
        for (index k = 0; k < q.A.rows(); ++k) gradient[i] += q.A(k, i) * r.y[k];
        gradient[i] += r.z_upper[i] - r.z_lower[i];
        EXPECT_NEAR(gradient[i], 0, tol);
        EXPECT_GE(r.z_lower[i], -tol);
        EXPECT_GE(r.z_upper[i], -tol);
        if (!q.l.empty() && q.l[i] > -inf) {
            EXPECT_GE(r.u[i], q.l[i] - tol);
            EXPECT_NEAR((r.u[i] - q.l[i]) * r.z_lower[i], 0, tol);
        } else {
            EXPECT_EQ(r.z_lower[i], 0);
        }
        if (!q.r.empty() && q.r[i] < inf) {
            EXPECT_LE(r.u[i], q.r[i] + tol);
            EXPECT_NEAR((q.r[i] - r.u[i]) * r.z_upper[i], 0, tol);
        } else {
            EXPECT_EQ(r.z_upper[i], 0);
        }
    }
    for (index k = 0; k < q.G.rows(); ++k) {
        double slack = q.h[k];
        for (index i = 0; i < q.n(); ++i) slack -= q.G(k, i) * r.u[i];
        EXPECT_GE(slack, -tol);
        EXPECT_GE(r.z[k], -tol);
        EXPECT_NEAR(slack * r.z[k], 0, tol);
    }
    for (index k = 0; k < q.A.rows(); ++k) {
        double left = -q.b[k];
        for (index i = 0; i < q.n(); ++i) left += q.A(k, i) * r.u[i];
        EXPECT_NEAR(left, 0, tol);
    }
}

double objective(const program& q, const vec& u) {
    double sum = 0;
    for (index i = 0; i < q.n(); ++i) {
        sum += q.p[i] * u[i];
        for (index j = 0; j < q.n(); ++j) sum += 0.5 * u[i] * q.Q(i, j) * u[j];
    }
    return sum;
}

// Solves a square system by elimination with pivoting; returns an empty vector if it is singular.
vec eliminate(matrix<double> a, vec b) {
    const index n = a.rows();
    for (index c = 0; c < n; ++c) {
        index best = c;
        for (index i = c; i < n; ++i)
            if (std::abs(a(i, c)) > std::abs(a(best, c))) best = i;
        if (std::abs(a(best, c)) < 1e-10) return {};
        for (index j = 0; j < n; ++j) std::swap(a(c, j), a(best, j));
        std::swap(b[c], b[best]);
        for (index i = 0; i < n; ++i) {
            if (i == c) continue;
            const double f = a(i, c) / a(c, c);
            for (index j = c; j < n; ++j) a(i, j) -= f * a(c, j);
            b[i] -= f * b[c];
        }
    }
    for (index i = 0; i < n; ++i) b[i] /= a(i, i);
    return b;
}

// Treats every set of inequalities as equations and returns the best feasible stationary point; infinity if none is
// feasible.
double best_by_enumeration(const program& q) {
    // all inequalities as rows
    std::vector<vec> rows;
    vec right;
    for (index k = 0; k < q.G.rows(); ++k) rows.emplace_back(q.G.row(k), q.G.row(k) + q.n()), right.push_back(q.h[k]);
    for (index i = 0; i < q.n(); ++i) {
        vec unit(q.p.size(), 0.0);
        if (!q.r.empty() && q.r[i] < inf) unit[i] = 1, rows.push_back(unit), right.push_back(q.r[i]);
        if (!q.l.empty() && q.l[i] > -inf) unit[i] = -1, rows.push_back(unit), right.push_back(-q.l[i]);
    }
    double best = inf;
    for (unsigned set = 0; set < (1u << rows.size()); ++set) {
        std::vector<vec> equal;
        vec value;
        for (index k = 0; k < q.A.rows(); ++k)
            equal.emplace_back(q.A.row(k), q.A.row(k) + q.n()), value.push_back(q.b[k]);
        for (std::size_t k = 0; k < rows.size(); ++k)
            if (set >> k & 1) equal.push_back(rows[k]), value.push_back(right[k]);
        const index m = static_cast<index>(equal.size());
        if (m > q.n()) continue;
        matrix<double> kkt(q.n() + m, q.n() + m);
        vec b;
        for (index i = 0; i < q.n(); ++i) {
            for (index j = 0; j < q.n(); ++j) kkt(i, j) = q.Q(i, j);
            for (index k = 0; k < m; ++k) kkt(i, q.n() + k) = kkt(q.n() + k, i) = equal[k][i];
            b.push_back(-q.p[i]);
        }
        b.insert(b.end(), value.begin(), value.end());
        vec u = eliminate(std::move(kkt), std::move(b));
        if (u.empty()) continue;
        bool feasible = true;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            double left = 0;
            for (index i = 0; i < q.n(); ++i) left += rows[k][i] * u[i];
            feasible &= left <= right[k] + 1e-9;
        }
        if (feasible) best = std::min(best, objective(q, u));
    }
    return best;
}

program random_program(unsigned seed) {
    std::mt19937_64 random(seed);
    const index n = 2 + static_cast<index>(random() % 3), m = static_cast<index>(random() % 4),
                e = static_cast<index>(random() % 2);
    program q;
    const matrix<double> root = random_matrix(n, n, random);
    q.Q = product(root.view(), transposed::yes, root.view(), transposed::no);
    q.G = random_matrix(m, n, random);
    q.A = random_matrix(e, n, random);
    std::normal_distribution<double> normal;
    for (index i = 0; i < n; ++i) {
        q.p.push_back(3 * normal(random));
        q.l.push_back(random() % 3 == 0 ? -inf : -std::abs(normal(random)));
        q.r.push_back(random() % 3 == 0 ? inf : std::abs(normal(random)));
    }
    for (index k = 0; k < m; ++k) q.h.push_back(normal(random));
    for (index k = 0; k < e; ++k) q.b.push_back(0.3 * normal(random));
    return q;
}

// Farkas: z >= 0, Gᵀz - z_l + z_r + Aᵀy = 0, value -1.
void expect_farkas(const program& q, const qp_result& r) {
    ASSERT_EQ(r.status, fit_status::infeasible) << name(r.status);
    vec sum(q.p.size(), 0.0);
    double value = 0;
    for (index k = 0; k < q.G.rows(); ++k) {
        EXPECT_GE(r.z[k], 0);
        value += q.h[k] * r.z[k];
        for (index i = 0; i < q.n(); ++i) sum[i] += q.G(k, i) * r.z[k];
    }
    for (index k = 0; k < q.A.rows(); ++k) {
        value += q.b[k] * r.y[k];
        for (index i = 0; i < q.n(); ++i) sum[i] += q.A(k, i) * r.y[k];
    }
    for (index i = 0; i < q.n(); ++i) {
        EXPECT_GE(r.z_lower[i], 0);
        EXPECT_GE(r.z_upper[i], 0);
        sum[i] += r.z_upper[i] - r.z_lower[i];
        if (r.z_lower[i] > 0) value -= q.l[i] * r.z_lower[i];
        if (r.z_upper[i] > 0) value += q.r[i] * r.z_upper[i];
    }
    EXPECT_NEAR(value, -1, 1e-6);
    for (const double each : sum) EXPECT_NEAR(each, 0, 1e-6);
}

TEST(interior_point, agrees_with_enumerating_active_sets) {
    int feasible = 0, infeasible = 0;
    for (unsigned seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE(seed);
        const program q = random_program(seed);
        const double best = best_by_enumeration(q);
        const qp_result r = solve_qp(q.view());
        if (std::isfinite(best)) {
            ++feasible;
            expect_optimal(q, r, 1e-5);
            EXPECT_NEAR(r.primal, best, 1e-6 * (1 + std::abs(best)));
            EXPECT_NEAR(r.dual, best, 1e-6 * (1 + std::abs(best)));
        } else {
            ++infeasible;
            expect_farkas(q, r);
        }
    }
    EXPECT_GT(feasible, 80);
    EXPECT_GT(infeasible, 5);
}

TEST(interior_point, one_variable) {
    program q;
    q.Q = matrix<double>(1, 1);
    q.Q(0, 0) = 2;
    q.p = {-4};
    EXPECT_NEAR(solve_qp(q.view()).u[0], 2, 1e-7);  // no constraint at all
    q.l = {-inf}, q.r = {1};
    const qp_result r = solve_qp(q.view());
    EXPECT_NEAR(r.u[0], 1, 1e-7);
    EXPECT_NEAR(r.z_upper[0], 2, 1e-6);
}

TEST(interior_point, bounds_and_rows_say_the_same) {
    std::mt19937_64 random(5);
    const index n = 12;
    program box;
    const matrix<double> root = random_matrix(5, n, random);  // of rank 5: flat directions
    box.Q = product(root.view(), transposed::yes, root.view(), transposed::no);
    box.A = random_matrix(1, n, random);
    box.b = {0};
    box.l.assign(n, 0.0), box.r.assign(n, 1.5), box.p.assign(n, -1.0);
    program rows = box;
    rows.l.clear(), rows.r.clear();
    rows.G = matrix<double>(2 * n, n);
    for (index i = 0; i < n; ++i) rows.G(i, i) = 1, rows.G(n + i, i) = -1;
    rows.h.assign(2 * n, 0.0);
    std::fill_n(rows.h.begin(), n, 1.5);
    const qp_result a = solve_qp(box.view()), b = solve_qp(rows.view());
    expect_optimal(box, a, 1e-6);
    expect_optimal(rows, b, 1e-6);
    EXPECT_NEAR(a.primal, b.primal, 1e-7 * std::abs(a.primal));
}

TEST(interior_point, scale_does_not_matter) {
    for (const double size : {1e-8, 1e-3, 1e4, 1e9}) {
        SCOPED_TRACE(size);
        program q = random_program(3);
        const double plain = solve_qp(q.view()).primal;
        // u = size·v: the same problem in other units, with the objective scaled too
        for (double& each : q.l) each *= size;
        for (double& each : q.r) each *= size;
        for (double& each : q.h) each *= size;
        for (double& each : q.b) each *= size;
        for (double& each : q.p) each *= size;
        const qp_result r = solve_qp(q.view());
        EXPECT_EQ(r.status, fit_status::converged);
        EXPECT_NEAR(r.primal / (size * size), plain, 1e-6 * (1 + std::abs(plain)));
    }
}

TEST(interior_point, linear_programs) {
    // max x + 2y, x + y <= 4, x + 3y <= 6, x, y >= 0: at (3, 1), 5
    program q;
    q.p = {-1, -2};
    q.G = matrix<double>(2, 2);
    q.G(0, 0) = q.G(0, 1) = q.G(1, 0) = 1, q.G(1, 1) = 3;
    q.h = {4, 6};
    q.l = {0, 0};
    const qp_result r = solve_qp(q.view());
    ASSERT_EQ(r.status, fit_status::converged);
    EXPECT_NEAR(r.u[0], 3, 1e-6);
    EXPECT_NEAR(r.u[1], 1, 1e-6);
    EXPECT_NEAR(r.primal, -5, 1e-6);
}

TEST(interior_point, fixed_variables) {
    program q = random_program(8);
    const index n = q.n();
    q.l.assign(n, -2.0), q.r.assign(n, 2.0), q.G = matrix<double>(0, n), q.h.clear(), q.A = matrix<double>(0, n),
                                             q.b.clear();
    q.l[0] = q.r[0] = 0.7;
    expect_optimal(q, solve_qp(q.view()), 1e-6);
    for (index i = 0; i < n; ++i) q.l[i] = q.r[i] = 0.1 * static_cast<double>(i);
    const qp_result r = solve_qp(q.view());
    EXPECT_EQ(r.status, fit_status::converged);
    EXPECT_NEAR(r.primal, objective(q, r.u), 1e-12);
}

TEST(interior_point, infeasible_ones_have_a_proof) {
    program q;
    q.Q = matrix<double>(2, 2);
    q.Q(0, 0) = q.Q(1, 1) = 1;
    q.p = {1, 1};
    q.G = matrix<double>(2, 2);
    q.G(0, 0) = q.G(0, 1) = 1, q.G(1, 0) = q.G(1, 1) = -1;
    q.h = {1, -2};  // x + y <= 1 and >= 2
    expect_farkas(q, solve_qp(q.view()));
    program box = q;
    box.G = matrix<double>(0, 2), box.h.clear();
    box.A = matrix<double>(1, 2), box.A(0, 0) = box.A(0, 1) = 1, box.b = {3}, box.l = {0, 0}, box.r = {1, 1};
    expect_farkas(box, solve_qp(box.view()));
    program crossed = q;
    crossed.l = {0, 1}, crossed.r = {1, 0.5};
    expect_farkas(crossed, solve_qp(crossed.view()));
}

TEST(interior_point, unbounded_ones_have_a_ray) {
    // min -x - y + ½(x-y)²: along (1, 1)
    program q;
    q.Q = matrix<double>(2, 2);
    q.Q(0, 0) = q.Q(1, 1) = 1, q.Q(0, 1) = q.Q(1, 0) = -1;
    q.p = {-1, -1};
    for (const bool bounded_below : {false, true}) {
        if (bounded_below) q.l = {0, 0};
        const qp_result r = solve_qp(q.view());
        ASSERT_EQ(r.status, fit_status::unbounded) << name(r.status);
        EXPECT_NEAR(r.u[0], 0.5, 1e-4);
        EXPECT_NEAR(r.u[1], 0.5, 1e-4);
    }
    // One finite bound makes the problem bounded.
    q.r = {inf, 7};
    const qp_result held = solve_qp(q.view());
    expect_optimal(q, held, 1e-5);
    EXPECT_NEAR(held.u[0], 8, 1e-5);  // x - y = 1
    // A linear program.
    program lp;
    lp.p = {-1, 0}, lp.l = {0, 0};
    EXPECT_EQ(solve_qp(lp.view()).status, fit_status::unbounded);
}

TEST(interior_point, limits_and_cancelling_are_statuses) {
    const program q = random_program(1);
    qp_options o;
    o.max_steps = 1;
    EXPECT_NE(solve_qp(q.view(), o).status, fit_status::converged);
    o = {};
    int calls = 0;
    o.progress = [&](const qp_progress&) { return ++calls < 3; };
    const qp_result r = solve_qp(q.view(), o);
    EXPECT_EQ(r.status, fit_status::cancelled);
    EXPECT_EQ(r.steps, 2);
}

TEST(interior_point, refuses_what_makes_no_sense) {
    program q = random_program(2);
    using testing::expect_error;
    program wrong = q;
    wrong.p[0] = std::nan("");
    expect_error(errc::data, "p must be finite", [&] { solve_qp(wrong.view()); });
    wrong = q;
    wrong.Q(0, 1) = inf;
    expect_error(errc::data, "row 0, column 1", [&] { solve_qp(wrong.view()); });
    wrong = q;
    wrong.l.pop_back();
    expect_error(errc::invalid_argument, "lower bounds", [&] { solve_qp(wrong.view()); });
    wrong = q;
    wrong.h.push_back(1);
    expect_error(errc::invalid_argument, "entries of h", [&] { solve_qp(wrong.view()); });
    expect_error(errc::invalid_argument, "no variables", [&] { solve_qp(program{}.view()); });
    qp_options o;
    o.tol = 0;
    expect_error(errc::invalid_argument, "tol > 0", [&] { solve_qp(q.view(), o); });
}

}  // namespace
}  // namespace mercer
