
#include "mercer/solvers/interior_point/quadratic_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/solvers/interior_point/kkt_system.h"

namespace mercer {

namespace {

using vec = std::vector<double>;
constexpr int max_centrings = 2;

double largest(const vec& v) {
    double most = 0;
    for (const double each : v) most = std::max(most, std::abs(each));
    return most;
}
double inner_product(const vec& a, const vec& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double inner_product(std::span<const double> a, const vec& b) {
    return std::inner_product(b.begin(), b.end(), a.begin(), 0.0);
}

double lower(const quadratic_program& q, std::size_t i) { return q.lower.empty() ? -infinity : q.lower[i]; }
double upper(const quadratic_program& q, std::size_t i) { return q.upper.empty() ? infinity : q.upper[i]; }
double Q_at(const quadratic_program& q, std::size_t i, std::size_t j) {
    return q.Q.rows == 0 ? 0 : q.Q(static_cast<index>(std::min(i, j)), static_cast<index>(std::max(i, j)));
}

// Returns true if u/(-pᵀu) is a ray: Qu = 0, Gu <= 0, Au = 0, and u in the directions that the bounds leave open, each
// up to `tol` relative to its terms.
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
    // uᵀQu is compared with its terms and with the descent -pᵀu, since the objective along the ray is ½t²uᵀQu -
    // t·(-pᵀu).
    vec Qu(n, 0.0);
    if (q.Q.rows > 0) multiply_symmetric(q.Q, u.data(), Qu.data());
    double curve = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) curve += u[i] * Qu[i], size += u[i] * u[i] * Q_at(q, i, i);
    return curve <= tol * tol * size + 1e-15 * size && curve / fall <= tol * fall;
}

class interior_point_method {
public:
    interior_point_method(const quadratic_program& problem, const qp_options& options)
        : q_(problem), options_(options), n_(problem.p.size()), all_(problem), newton_(problem, all_) {
        start();
    }

    qp_result run() {
        double best = infinity;
        std::int64_t since = 0;
        for (std::int64_t step = 0;; ++step) {
            measure();
            result_.steps = step;
            result_.seconds = seconds();
            const double merit = std::max({result_.gap, result_.primal_residual, result_.dual_residual});
            if (merit < 0.9 * best) best = merit, since = 0, save_best();
            if (merit <= options_.tol) return finish(fit_status::converged);
            if (options_.progress &&
                !options_.progress({step, result_.primal, result_.dual, result_.gap, result_.primal_residual,
                                    result_.dual_residual, result_.seconds, u_}))
                return finish(fit_status::cancelled);
            if (proves_infeasible()) return finish(fit_status::infeasible);
            if (proves_unbounded()) return finish(fit_status::unbounded);
            if (step >= options_.max_steps) return finish(fit_status::step_limit);
            if (seconds() > options_.max_seconds) return finish(fit_status::time_limit);
            // Near the solution, rounding ends the progress. Further away, progress may resume after some steps without
            // it.
            if (++since > (best < 1e-6 ? 4 : 20) || !std::isfinite(merit) || !newton_.factor())
                return finish(fit_status::stalled);
            advance();
        }
    }

private:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }

    void multiply_Q(const vec& u, vec& out) const {
        out.assign(n_, 0.0);
        if (q_.Q.rows > 0) multiply_symmetric(q_.Q, u.data(), out.data());
    }

    // The start: variables are as far inside of their bounds as p would move them given the curvature. Multipliers of
    // bounds make u stationary where a variable has both bounds.
    void start() {
        double curvature = 0;
        for (index i = 0; i < q_.Q.rows; ++i) curvature += q_.Q(i, i) / static_cast<double>(n_);
        const double pull = largest(vec(q_.p.begin(), q_.p.end()));
        double reach = curvature > 0 && pull > 0 ? pull / curvature : 1;
        u_.assign(n_, 0.0);
        for (std::size_t i = 0; i < n_; ++i) {
            const double l = q_.lower.empty() ? -infinity : q_.lower[i], r = q_.upper.empty() ? infinity : q_.upper[i];
            if (l > -infinity)
                u_[i] = l + std::min((r - l) / 2, std::max(reach, 1e-12 * std::abs(l)));
            else if (r < infinity)
                u_[i] = r - std::max(reach, 1e-12 * std::abs(r));
        }
        vec gradient;
        multiply_Q(u_, gradient);
        double size = 0;
        for (std::size_t i = 0; i < n_; ++i)
            gradient[i] += q_.p[i], size += std::abs(gradient[i]) / static_cast<double>(n_);
        if (!(size > 0)) size = 1;
        for (inequalities* f : all_.each) {
            f->apply(u_, f->Mu);
            f->s.resize(f->size());
            f->z.assign(f->size(), size);
            for (std::size_t i = 0; i < f->size(); ++i)
                f->s[i] = std::max(f->t[i] - f->Mu[i], f->sign == 0 ? -infinity : 1e-16 * (1e-100 + std::abs(f->t[i])));
            const double least = f->sign == 0 ? std::max(0.1 * largest(f->s), 1e-3 * reach) : 0;
            for (std::size_t i = 0; i < f->size(); ++i) {
                if (f->sign == 0)
                    f->s[i] = std::max(f->s[i], least);
                else
                    f->z[i] += std::max(0.0, -f->sign * gradient[static_cast<std::size_t>(f->variables[i])]);
            }
        }
        y_.assign(static_cast<std::size_t>(q_.A.rows), 0.0);
        for (const inequalities* f : all_.each) products_at_start_ += inner_product(f->s, f->z);
    }

    // Computes the residuals and objectives at the current point.
    void measure() {
        multiply_Q(u_, Qu_);
        vec parts(n_, 0.0), turned(n_, 0.0);
        double products = 0, support = 0, primal = 0;
        for (inequalities* f : all_.each) {
            f->apply(u_, f->Mu);
            f->residual.resize(f->size());
            for (std::size_t i = 0; i < f->size(); ++i) f->residual[i] = f->Mu[i] + f->s[i] - f->t[i];
            const double size = std::max({largest(f->Mu), largest(f->s), largest(f->t)});
            if (size > 0) primal = std::max(primal, largest(f->residual) / size);
            f->add_transposed(f->z, parts);
            products += inner_product(f->s, f->z);
            support += inner_product(f->t, f->z);
        }
        add_multiply(1, q_.A, transposed::yes, y_.data(), turned.data());
        equation_.assign(q_.b.size(), 0.0);
        for (index e = 0; e < q_.A.rows; ++e) {
            double sum = 0, size = std::abs(q_.b[static_cast<std::size_t>(e)]);
            for (std::size_t i = 0; i < n_; ++i) {
                const double term = q_.A(e, static_cast<index>(i)) * u_[i];
                sum += term, size += std::abs(term);
            }
            equation_[static_cast<std::size_t>(e)] = sum - q_.b[static_cast<std::size_t>(e)];
            if (size > 0) primal = std::max(primal, std::abs(equation_[static_cast<std::size_t>(e)]) / size);
        }
        stationarity_.resize(n_);
        double size = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            stationarity_[i] = Qu_[i] + q_.p[i] + parts[i] + turned[i];
            size = std::max({size, std::abs(Qu_[i]), std::abs(q_.p[i]), std::abs(parts[i]), std::abs(turned[i])});
        }
        farkas_ = parts;
        farkas_size_ = 0;
        for (std::size_t i = 0; i < n_; ++i)
            farkas_[i] += turned[i], farkas_size_ = std::max({farkas_size_, std::abs(parts[i]), std::abs(turned[i])});
        farkas_value_ = support + inner_product(q_.b, y_);
        const double curve = inner_product(u_, Qu_);
        result_.primal = curve / 2 + inner_product(q_.p, u_);
        result_.dual = -curve / 2 - farkas_value_;
        // If the optimum is zero there is no relative gap; then the rounding error of the products at the start is the
        // scale.
        const double scale = std::max({std::abs(result_.primal), std::abs(result_.dual), 1e-14 * products_at_start_});
        const double apart = std::max(std::abs(result_.primal - result_.dual), products);
        result_.gap = scale > 0 ? apart / scale : apart;
        result_.primal_residual = primal;
        result_.dual_residual = size > 0 ? largest(stationarity_) / size : 0;
        std::size_t count = 0;
        for (const inequalities* f : all_.each) count += f->size();
        mu_ = count > 0 ? products / static_cast<double>(count) : 0;
    }

    void solve() { newton_.solve(all_, stationarity_, equation_); }

    double max_step() const {
        double step = infinity;
        for (const inequalities* f : all_.each)
            for (std::size_t i = 0; i < f->size(); ++i) {
                if (f->ds[i] < 0) step = std::min(step, -f->s[i] / f->ds[i]);
                if (f->dz[i] < 0) step = std::min(step, -f->z[i] / f->dz[i]);
            }
        return step;
    }

    void advance() {
        for (inequalities* f : all_.each) {
            f->target.resize(f->size());
            for (std::size_t i = 0; i < f->size(); ++i) f->target[i] = f->s[i] * f->z[i];
        }
        solve();
        const double reach = std::min(1.0, max_step());
        double after = 0;
        std::size_t count = 0;
        for (const inequalities* f : all_.each) {
            for (std::size_t i = 0; i < f->size(); ++i)
                after += (f->s[i] + reach * f->ds[i]) * (f->z[i] + reach * f->dz[i]);
            count += f->size();
        }
        if (count > 0) {
            const double ratio = mu_ > 0 ? after / static_cast<double>(count) / mu_ : 0,
                         sigma = std::clamp(ratio * ratio * ratio, 0.0, 1.0);
            for (inequalities* f : all_.each)
                for (std::size_t i = 0; i < f->size(); ++i) f->target[i] += f->ds[i] * f->dz[i] - sigma * mu_;
            solve();
            correct_centrality(sigma * mu_);
        }
        const double step = std::min(1.0, (result_.gap < 1e-3 ? 0.998 : 0.99) * max_step());
        for (std::size_t i = 0; i < n_; ++i) u_[i] += step * newton_.du[i];
        for (std::size_t e = 0; e < y_.size(); ++e) y_[e] += step * newton_.dy[e];
        for (inequalities* f : all_.each)
            for (std::size_t i = 0; i < f->size(); ++i) f->s[i] += step * f->ds[i], f->z[i] += step * f->dz[i];
    }

    // Products s·z that would be far from the others after a longer step limit the step length. Moving them nearer to
    // `mean` takes another solution with the same factors, and saves a factorisation if it lengthens the step (Gondzio
    // 1996).
    void correct_centrality(double mean) {
        for (int tries = 0; tries < max_centrings; ++tries) {
            const double reach = std::min(1.0, max_step());
            if (reach >= 0.99) return;
            const double further = std::min(1.0, 1.1 * reach + 0.1);
            vec targets[3], ds[3], dz[3];
            const vec du = newton_.du, dy = newton_.dy;
            for (int f = 0; f < 3; ++f) {
                inequalities& each = *all_.each[f];
                targets[f] = each.target, ds[f] = each.ds, dz[f] = each.dz;
                for (std::size_t i = 0; i < each.size(); ++i) {
                    const double product = (each.s[i] + further * each.ds[i]) * (each.z[i] + further * each.dz[i]);
                    each.target[i] -= std::max(std::clamp(product, 0.1 * mean, 10 * mean) - product, -10 * mean);
                }
            }
            solve();
            if (std::min(1.0, max_step()) >= reach + 0.1 * (further - reach)) continue;
            for (int f = 0; f < 3; ++f)
                all_.each[f]->target = targets[f], all_.each[f]->ds = ds[f], all_.each[f]->dz = dz[f];
            newton_.du = du, newton_.dy = dy;
            return;
        }
    }

    // The current multipliers, divided by -(tᵀz + bᵀy), exclude every u with ‖u‖₁ < 1/‖Mᵀz + Aᵀy‖∞.
    bool proves_infeasible() const {
        if (!(farkas_value_ < 0)) return false;
        double size = 0;
        for (const double each : u_) size += std::abs(each);
        // The sum must also be small relative to its terms, since u may be zero by chance.
        return largest(farkas_) <= options_.tol * farkas_size_ &&
               largest(farkas_) * size <= options_.tol * -farkas_value_;
    }
    bool proves_unbounded() const {
        const double fall = inner_product(q_.p, u_);
        return fall < 0 && is_ray(q_, u_, options_.tol);
    }

    void save_best() {
        best_u_ = u_, best_y_ = y_;
        for (int f = 0; f < 3; ++f) best_z_[f] = all_.each[f]->z;
        best_ = result_;
    }

    qp_result finish(fit_status status) {
        const bool proof = status == fit_status::infeasible || status == fit_status::unbounded;
        if (!proof && status != fit_status::converged && !best_u_.empty()) {
            const auto steps = result_.steps;
            result_ = best_;
            result_.steps = steps;
            u_ = best_u_, y_ = best_y_;
            for (int f = 0; f < 3; ++f) all_.each[f]->z = best_z_[f];
        }
        result_.status = status;
        result_.u = u_;
        result_.y = y_;
        result_.z = all_.rows.z;
        result_.z_lower.assign(n_, 0.0);
        result_.z_upper.assign(n_, 0.0);
        for (std::size_t i = 0; i < all_.low.size(); ++i)
            result_.z_lower[static_cast<std::size_t>(all_.low.variables[i])] = all_.low.z[i];
        for (std::size_t i = 0; i < all_.high.size(); ++i)
            result_.z_upper[static_cast<std::size_t>(all_.high.variables[i])] = all_.high.z[i];
        result_.seconds = seconds();
        return std::move(result_);
    }

    const quadratic_program& q_;
    const qp_options& options_;
    std::size_t n_;
    all_inequalities all_;
    kkt_system newton_;
    vec u_, y_, Qu_, stationarity_, equation_, farkas_;
    double farkas_value_ = 0, farkas_size_ = 0, mu_ = 0, products_at_start_ = 0;
    vec best_u_, best_y_, best_z_[3];
    qp_result best_, result_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// Runs the iteration. Every lower bound must be below its upper bound.
qp_result iterate_qp(const quadratic_program& problem, const qp_options& options) {
    return interior_point_method(problem, options).run();
}

// Eliminates variables with equal bounds, iterates, and searches for a certificate if the iteration fails and `proofs`
// is true.
qp_result solve_valid_qp(const quadratic_program& problem, const qp_options& options, bool proofs);

// Crossing bounds are a certificate: z_l = z_r = 1/(l-r) for that variable. Returns true if there are any.
bool find_crossed_bounds(const quadratic_program& q, qp_result& out) {
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

// Returns the columns `which` of a matrix.
matrix<double> gather_columns(matrix_view<const double> a, const std::vector<index>& which) {
    matrix<double> out(a.rows, static_cast<index>(which.size()));
    for (index i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < which.size(); ++j) out(i, static_cast<index>(j)) = a(i, which[j]);
    return out;
}

// The result if all variables are fixed: the most violated row of 0 <= h, 0 = b decides. q has the original right
// sides.
qp_result solve_fixed(const quadratic_program& q, const vec& h, const vec& b) {
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

// Extends the solution, ray or certificate of the free variables to all variables. A fixed variable becomes stationary
// by the multiplier of one of its two bounds.
qp_result restore_fixed(const quadratic_program& q, const qp_result& inner, const std::vector<index>& free,
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

// Solves the problem of the free variables, to which the fixed ones contribute constants.
qp_result solve_free(const quadratic_program& q, const qp_options& options, bool proofs,
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
        const matrix<double> G = gather_columns(q.G, free), A = gather_columns(q.A, free);
        inner = solve_valid_qp({Q.view(), p, G.view(), h, l, r, A.view(), b}, options, proofs);
    } else {
        inner = solve_fixed(q, h, b);
    }
    qp_result out = restore_fixed(q, inner, free, fixed);
    out.primal += constant;
    out.dual += constant;
    return out;
}

// Returns hᵀz - lᵀz_l + rᵀz_r + bᵀy.
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

// Searches for a Farkas certificate by min ½‖t‖² + ½‖v‖² subject to Gu - t <= h, l <= u <= r, Au - v = b. At its
// solution t and v are the multipliers z and y of a certificate with the value -(‖t‖² + ‖v‖²), unless both are zero.
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
    const qp_result near = solve_valid_qp({Q.view(), p, G.view(), q.h, l, r, A.view(), q.b}, tight, false);
    qp_result found;
    found.u.assign(near.u.begin(), near.u.begin() + static_cast<std::ptrdiff_t>(n));
    found.z = near.z, found.y = near.y;
    found.z_lower.assign(near.z_lower.begin(), near.z_lower.begin() + static_cast<std::ptrdiff_t>(n));
    found.z_upper.assign(near.z_upper.begin(), near.z_upper.begin() + static_cast<std::ptrdiff_t>(n));
    // The multipliers of the bounds are set to the remaining sum, which makes the certificate exact there.
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
    // The certificate excludes every u of size below 1/wrong, which must be far beyond the point with the smallest
    // violation.
    if (wrong * size > 1e-6 || wrong > 1e-6 * terms) return false;
    found.status = fit_status::infeasible;
    found.steps = near.steps;
    out = std::move(found);
    return true;
}

// Searches for a ray by min ½rᵀQr + ½‖Ar‖² + ½‖t‖² + ½(pᵀr + 1)² subject to Gr - t <= 0 and r in the cone that the
// bounds leave open. The minimum is zero exactly if r is a ray.
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
    qp_result near = solve_valid_qp({Q.view(), p, G.view(), h, l, r, {}, {}}, tight, false);
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

qp_result solve_valid_qp(const quadratic_program& q, const qp_options& options, bool proofs) {
    qp_result out;
    if (find_crossed_bounds(q, out)) return out;
    std::vector<index> free;
    for (std::size_t i = 0; i < q.p.size(); ++i)
        if (lower(q, i) < upper(q, i)) free.push_back(static_cast<index>(i));
    if (free.size() < q.p.size()) return solve_free(q, options, proofs, free);
    out = iterate_qp(q, options);
    if (out.status == fit_status::infeasible) scale_proof(out, -1 / farkas_value(q, out));
    if (out.status == fit_status::unbounded) {
        double fall = 0;
        for (std::size_t i = 0; i < out.u.size(); ++i) fall -= q.p[i] * out.u[i];
        for (double& each : out.u) each /= fall;
    }
    const bool lost = out.status == fit_status::stalled || out.status == fit_status::step_limit;
    // With a gap and residuals of at most 1e-5 the result is a solution of lower accuracy.
    if (proofs && lost && std::max({out.gap, out.primal_residual, out.dual_residual}) > 1e-5) {
        const auto steps = out.steps;
        if (find_farkas(q, options, out) || find_ray(q, options, out)) out.steps += steps;
    }
    return out;
}

// Throws if the sizes, values or options are invalid.
void check(const quadratic_program& q, const qp_options& options) {
    const auto n = static_cast<index>(q.p.size());
    const auto need = [](bool ok, const char* what, index got, index wanted) {
        if (!ok)
            fail(errc::invalid_argument, fmt::format("quadratic program: {} must be {}, got {}", what, wanted, got));
    };
    if (n == 0) fail(errc::invalid_argument, "quadratic program: there are no variables");
    if (!(options.tol > 0))
        fail(errc::invalid_argument, fmt::format("quadratic program: must satisfy tol > 0, got {}", options.tol));
    if (q.Q.rows > 0)
        need(q.Q.rows == n && q.Q.cols == n, "rows and columns of Q", q.Q.rows != n ? q.Q.rows : q.Q.cols, n);
    if (q.G.rows > 0) need(q.G.cols == n, "columns of G", q.G.cols, n);
    need(static_cast<index>(q.h.size()) == q.G.rows, "entries of h", static_cast<index>(q.h.size()), q.G.rows);
    if (q.A.rows > 0) need(q.A.cols == n, "columns of A", q.A.cols, n);
    need(static_cast<index>(q.b.size()) == q.A.rows, "entries of b", static_cast<index>(q.b.size()), q.A.rows);
    if (!q.lower.empty())
        need(static_cast<index>(q.lower.size()) == n, "lower bounds", static_cast<index>(q.lower.size()), n);
    if (!q.upper.empty())
        need(static_cast<index>(q.upper.size()) == n, "upper bounds", static_cast<index>(q.upper.size()), n);
    for (index i = 0; i < q.Q.rows; ++i)
        for (index j = i; j < n; ++j)
            if (!std::isfinite(q.Q(i, j)))
                fail(errc::data,
                     fmt::format("quadratic program: Q must be finite, got {} at row {}, column {}", q.Q(i, j), i, j));
    require_finite(q.G, "quadratic program, G");
    require_finite(q.A, "quadratic program, A");
    const auto finite = [](std::span<const double> v, const char* what) {
        for (std::size_t i = 0; i < v.size(); ++i)
            if (!std::isfinite(v[i]))
                fail(errc::data,
                     fmt::format("quadratic program: {} must be finite, got {} at position {}", what, v[i], i));
    };
    finite(q.p, "p");
    finite(q.h, "h");
    finite(q.b, "b");
    for (std::size_t i = 0; i < q.lower.size(); ++i)
        if (std::isnan(q.lower[i]) || q.lower[i] == infinity)
            fail(errc::data,
                 fmt::format("quadratic program: lower bound {} must not be NaN or infinity, got {}", i, q.lower[i]));
    for (std::size_t i = 0; i < q.upper.size(); ++i)
        if (std::isnan(q.upper[i]) || q.upper[i] == -infinity)
            fail(errc::data,
                 fmt::format("quadratic program: upper bound {} must not be NaN or -infinity, got {}", i, q.upper[i]));
}

}  // namespace

qp_result solve_qp(const quadratic_program& problem, const qp_options& options) {
    check(problem, options);
    return solve_valid_qp(problem, options, true);
}

}  // namespace mercer
