#include "mercer/solvers/interior_point/proofs.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/infinity.h"
#include "mercer/dense/dense_algebra.h"

namespace mercer {
namespace {

using vec = std::vector<double>;

double lower(const quadratic_program& q, std::size_t i) { return q.lower.empty() ? -infinity : q.lower[i]; }
double upper(const quadratic_program& q, std::size_t i) { return q.upper.empty() ? infinity : q.upper[i]; }
double Q_at(const quadratic_program& q, std::size_t i, std::size_t j) {
    return q.Q.rows == 0 ? 0 : q.Q(static_cast<index>(std::min(i, j)), static_cast<index>(std::max(i, j)));
}

// Bounds that cross are a proof by themselves: z_l = z_r = 1/(l-r) for that variable.
bool crossed(const quadratic_program& q, qp_result& out) {
    const std::size_t n = q.p.size();
    for (std::size_t i = 0; i < n; ++i) {
        const double l = lower(q, i), r = upper(q, i);
        if (!(l > r)) continue;
        out = {};
        out.status = fit_status::infeasible;
        out.u.assign(n, 0.0), out.z.assign(q.h.size(), 0.0), out.y.assign(q.b.size(), 0.0), out.z_lower.assign(n, 0.0),
            out.z_upper.assign(n, 0.0);
        out.z_lower[i] = out.z_upper[i] = 1 / (l - r);
        return true;
    }
    return false;
}

// Some columns of a matrix.
matrix<double> columns(matrix_view<const double> a, const std::vector<index>& which) {
    matrix<double> out(a.rows, static_cast<index>(which.size()));
    for (index i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < which.size(); ++j) out(i, static_cast<index>(j)) = a(i, which[j]);
    return out;
}

// With no variable that can move there is nothing to choose: the worst row of 0 <= h, 0 = b decides. q has the right
// sides as they were given.
qp_result without_variables(const quadratic_program& q, const vec& h, const vec& b) {
    qp_result out;
    out.z.assign(h.size(), 0.0), out.y.assign(b.size(), 0.0);
    double worst = 0;
    for (std::size_t i = 0; i < h.size(); ++i)
        if (-h[i] > worst + 1e-12 * std::abs(q.h[i])) worst = -h[i], out.z.assign(h.size(), 0.0), out.z[i] = 1 / -h[i];
    for (std::size_t e = 0; e < b.size(); ++e)
        if (std::abs(b[e]) > worst + 1e-12 * std::abs(q.b[e]))
            worst = std::abs(b[e]), out.z.assign(h.size(), 0.0), out.y.assign(b.size(), 0.0), out.y[e] = -1 / b[e];
    out.status = worst > 0 ? fit_status::infeasible : fit_status::converged;
    return out;
}

// The solution, ray or proof of the variables that can move, as one of all. What makes a fixed variable stationary is
// the multiplier of one of its two bounds.
qp_result with_fixed(const quadratic_program& q, const qp_result& inner, const std::vector<index>& free,
                     const vec& fixed) {
    const std::size_t n = q.p.size();
    qp_result out = inner;
    const bool ray = inner.status == fit_status::unbounded, farkas = inner.status == fit_status::infeasible;
    out.u.assign(n, 0.0), out.z_lower.assign(n, 0.0), out.z_upper.assign(n, 0.0);
    for (std::size_t i = 0; i < n && !ray; ++i) out.u[i] = fixed[i];
    for (std::size_t i = 0; i < free.size(); ++i) {
        const auto to = static_cast<std::size_t>(free[i]);
        out.u[to] = inner.u[i], out.z_lower[to] = inner.z_lower[i], out.z_upper[to] = inner.z_upper[i];
    }
    vec rest(n, 0.0);
    if (!farkas) {
        if (q.Q.rows > 0) multiply_symmetric(q.Q, out.u.data(), rest.data());
        for (std::size_t i = 0; i < n; ++i) rest[i] += q.p[i];
    }
    add_multiply(1, q.G, transposed::yes, out.z.data(), rest.data());
    add_multiply(1, q.A, transposed::yes, out.y.data(), rest.data());
    for (std::size_t i = 0; i < n && !ray; ++i)
        if (lower(q, i) == upper(q, i))
            out.z_lower[i] = std::max(0.0, rest[i]), out.z_upper[i] = std::max(0.0, -rest[i]);
    return out;
}

// The problem of the variables that can move; the others contribute constants.
qp_result without_fixed(const quadratic_program& q, const qp_options& options, bool proofs,
                        const std::vector<index>& free) {
    const std::size_t n = q.p.size(), m = free.size();
    vec fixed(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        if (lower(q, i) == upper(q, i)) fixed[i] = lower(q, i);
    vec p(m), l(m), r(m), h(q.h.begin(), q.h.end()), b(q.b.begin(), q.b.end()), pull(n, 0.0);
    if (q.Q.rows > 0) multiply_symmetric(q.Q, fixed.data(), pull.data());
    add_multiply(-1, q.G, transposed::no, fixed.data(), h.data());
    add_multiply(-1, q.A, transposed::no, fixed.data(), b.data());
    matrix<double> Q(q.Q.rows > 0 ? static_cast<index>(m) : 0, static_cast<index>(m));
    for (std::size_t i = 0; i < m; ++i) {
        const auto from = static_cast<std::size_t>(free[i]);
        p[i] = q.p[from] + pull[from];
        l[i] = lower(q, from), r[i] = upper(q, from);
        if (q.Q.rows > 0)
            for (std::size_t j = i; j < m; ++j)
                Q(static_cast<index>(i), static_cast<index>(j)) = Q_at(q, from, static_cast<std::size_t>(free[j]));
    }
    double constant = 0;
    for (std::size_t i = 0; i < n; ++i) constant += fixed[i] * (q.p[i] + pull[i] / 2);
    qp_result inner;
    if (m > 0) {
        const matrix<double> G = columns(q.G, free), A = columns(q.A, free);
        inner = solve_checked_qp({Q.view(), p, G.view(), h, l, r, A.view(), b}, options, proofs);
    } else {
        inner = without_variables(q, h, b);
    }
    qp_result out = with_fixed(q, inner, free, fixed);
    out.primal += constant;
    out.dual += constant;
    return out;
}

// hᵀz - lᵀz_l + rᵀz_r + bᵀy
double farkas_value(const quadratic_program& q, const qp_result& r) {
    double sum = 0;
    for (std::size_t i = 0; i < r.z.size(); ++i) sum += q.h[i] * r.z[i];
    for (std::size_t e = 0; e < r.y.size(); ++e) sum += q.b[e] * r.y[e];
    for (std::size_t i = 0; i < r.u.size(); ++i) {
        if (lower(q, i) > -infinity) sum -= lower(q, i) * r.z_lower[i];
        if (upper(q, i) < infinity) sum += upper(q, i) * r.z_upper[i];
    }
    return sum;
}

void scale_proof(qp_result& r, double by) {
    for (vec* v : {&r.z, &r.y, &r.z_lower, &r.z_upper})
        for (double& each : *v) each *= by;
}

// min ½‖t‖² + ½‖v‖², Gu - t <= h, l <= u <= r, Au - v = b. At its solution t and v are multipliers z and y of a proof
// whose value is
// -(‖t‖² + ‖v‖²), unless both are zero.
bool find_farkas(const quadratic_program& q, const qp_options& options, qp_result& out) {
    const std::size_t n = q.p.size(), m = q.h.size(), e = q.b.size(), all = n + m + e;
    if (m + e == 0) return false;
    matrix<double> Q(static_cast<index>(all), static_cast<index>(all)),
        G(static_cast<index>(m), static_cast<index>(all)), A(static_cast<index>(e), static_cast<index>(all));
    vec p(all, 0.0), l(all, -infinity), r(all, infinity);
    for (std::size_t i = 0; i < n; ++i) l[i] = lower(q, i), r[i] = upper(q, i);
    for (std::size_t i = n; i < all; ++i) Q(static_cast<index>(i), static_cast<index>(i)) = 1;
    for (std::size_t i = 0; i < m; ++i) {
        std::copy_n(q.G.row(static_cast<index>(i)), n, G.row(static_cast<index>(i)));
        G(static_cast<index>(i), static_cast<index>(n + i)) = -1;
    }
    for (std::size_t i = 0; i < e; ++i) {
        std::copy_n(q.A.row(static_cast<index>(i)), n, A.row(static_cast<index>(i)));
        A(static_cast<index>(i), static_cast<index>(n + m + i)) = -1;
    }
    qp_options tight = options;
    tight.tol = std::min(options.tol, 1e-9);
    tight.progress = {};
    const qp_result near = solve_checked_qp({Q.view(), p, G.view(), q.h, l, r, A.view(), q.b}, tight, false);
    qp_result found;
    found.u.assign(near.u.begin(), near.u.begin() + static_cast<std::ptrdiff_t>(n));
    found.z = near.z, found.y = near.y;
    found.z_lower.assign(near.z_lower.begin(), near.z_lower.begin() + static_cast<std::ptrdiff_t>(n));
    found.z_upper.assign(near.z_upper.begin(), near.z_upper.begin() + static_cast<std::ptrdiff_t>(n));
    // The bounds take up what the rows leave, which makes the proof exact there.
    vec rest(n, 0.0);
    add_multiply(1, q.G, transposed::yes, found.z.data(), rest.data());
    add_multiply(1, q.A, transposed::yes, found.y.data(), rest.data());
    for (std::size_t i = 0; i < n; ++i) {
        found.z_lower[i] = lower(q, i) > -infinity ? std::max(0.0, rest[i]) : 0;
        found.z_upper[i] = upper(q, i) < infinity ? std::max(0.0, -rest[i]) : 0;
    }
    const double value = farkas_value(q, found);
    if (!(value < 0)) return false;
    scale_proof(found, -1 / value);
    double wrong = 0, size = 0, terms = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < m; ++k)
            terms = std::max(terms, std::abs(q.G(static_cast<index>(k), static_cast<index>(i)) * found.z[k]));
        for (std::size_t k = 0; k < e; ++k)
            terms = std::max(terms, std::abs(q.A(static_cast<index>(k), static_cast<index>(i)) * found.y[k]));
        wrong = std::max(wrong, std::abs(rest[i] / -value - found.z_lower[i] + found.z_upper[i]));
        size += std::abs(found.u[i]);
    }
    // It excludes every u of less than 1/wrong; that must reach far beyond the point that violates least.
    if (wrong * size > 1e-6 || wrong > 1e-6 * terms) return false;
    found.status = fit_status::infeasible;
    found.steps = near.steps;
    out = std::move(found);
    return true;
}

// min ½rᵀQr + ½‖Ar‖² + ½‖t‖² + ½(pᵀr + 1)², Gr - t <= 0, r in the cone that the bounds leave open: zero exactly at a
// ray.
bool find_ray(const quadratic_program& q, const qp_options& options, qp_result& out) {
    const std::size_t n = q.p.size(), m = q.h.size(), all = n + m;
    matrix<double> Q(static_cast<index>(all), static_cast<index>(all)),
        G(static_cast<index>(m), static_cast<index>(all));
    vec p(all, 0.0), h(m, 0.0), l(all, -infinity), r(all, infinity);
    for (std::size_t i = 0; i < n; ++i) {
        p[i] = q.p[i];
        if (lower(q, i) > -infinity) l[i] = 0;
        if (upper(q, i) < infinity) r[i] = 0;
        for (std::size_t j = i; j < n; ++j) {
            double sum = Q_at(q, i, j) + q.p[i] * q.p[j];
            for (index e = 0; e < q.A.rows; ++e) sum += q.A(e, static_cast<index>(i)) * q.A(e, static_cast<index>(j));
            Q(static_cast<index>(i), static_cast<index>(j)) = sum;
        }
    }
    for (std::size_t i = 0; i < m; ++i) {
        Q(static_cast<index>(n + i), static_cast<index>(n + i)) = 1;
        std::copy_n(q.G.row(static_cast<index>(i)), n, G.row(static_cast<index>(i)));
        G(static_cast<index>(i), static_cast<index>(n + i)) = -1;
    }
    qp_options tight = options;
    tight.tol = std::min(options.tol, 1e-12);
    tight.progress = {};
    qp_result near = solve_checked_qp({Q.view(), p, G.view(), h, l, r, {}, {}}, tight, false);
    near.u.resize(n);
    double fall = 0;
    for (std::size_t i = 0; i < n; ++i) fall += q.p[i] * near.u[i];
    if (!(fall < -0.5) || !is_ray(q, near.u, 1e-5)) return false;
    for (double& each : near.u) each /= -fall;
    near.status = fit_status::unbounded;
    near.z.assign(m, 0.0), near.y.assign(q.b.size(), 0.0), near.z_lower.assign(n, 0.0), near.z_upper.assign(n, 0.0);
    out = std::move(near);
    return true;
}

}  // namespace

bool is_ray(const quadratic_program& q, const vec& u, double tol) {
    const std::size_t n = u.size();
    double fall = 0, largest = 0;
    for (std::size_t i = 0; i < n; ++i) fall -= q.p[i] * u[i], largest = std::max(largest, std::abs(u[i]));
    if (!(fall > 0)) return false;
    for (std::size_t i = 0; i < n; ++i)
        if ((lower(q, i) > -infinity && u[i] < -tol * largest) || (upper(q, i) < infinity && u[i] > tol * largest))
            return false;
    const auto vanishes = [&](matrix_view<const double> a, bool above_only) {
        for (index r = 0; r < a.rows; ++r) {
            double sum = 0, size = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const double term = a(r, static_cast<index>(i)) * u[i];
                sum += term, size += std::abs(term);
            }
            if ((above_only ? sum : std::abs(sum)) > tol * size) return false;
        }
        return true;
    };
    if (!vanishes(q.A, false) || !vanishes(q.G, true)) return false;
    // uᵀQu against what it sums, and against the fall: along the ray the objective is ½t²uᵀQu - t·fall.
    vec Qu(n, 0.0);
    if (q.Q.rows > 0) multiply_symmetric(q.Q, u.data(), Qu.data());
    double curve = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) curve += u[i] * Qu[i], size += u[i] * u[i] * Q_at(q, i, i);
    return curve <= tol * tol * size + 1e-15 * size && curve / fall <= tol * fall;
}

qp_result solve_checked_qp(const quadratic_program& q, const qp_options& options, bool proofs) {
    qp_result out;
    if (crossed(q, out)) return out;
    std::vector<index> free;
    for (std::size_t i = 0; i < q.p.size(); ++i)
        if (lower(q, i) < upper(q, i)) free.push_back(static_cast<index>(i));
    if (free.size() < q.p.size()) return without_fixed(q, options, proofs, free);
    out = iterate_qp(q, options);
    if (out.status == fit_status::infeasible) scale_proof(out, -1 / farkas_value(q, out));
    if (out.status == fit_status::unbounded) {
        double fall = 0;
        for (std::size_t i = 0; i < out.u.size(); ++i) fall -= q.p[i] * out.u[i];
        for (double& each : out.u) each /= fall;
    }
    const bool lost = out.status == fit_status::stalled || out.status == fit_status::step_limit;
    // A gap and residuals this small are a solution, only not to the last digit.
    if (proofs && lost && std::max({out.gap, out.primal_residual, out.dual_residual}) > 1e-5) {
        const auto steps = out.steps;
        if (find_farkas(q, options, out) || find_ray(q, options, out)) out.steps += steps;
    }
    return out;
}

}  // namespace mercer
