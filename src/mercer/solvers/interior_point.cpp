#include "mercer/solvers/interior_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/solvers/algebra/dense_algebra.h"
#include "mercer/solvers/interior_point_proofs.h"

namespace mercer {

namespace {

using vec = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_centrings = 2;

double largest(const vec& v) {
    double most = 0;
    for (const double each : v) most = std::max(most, std::abs(each));
    return most;
}
double dot(const vec& a, const vec& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double dot(std::span<const double> a, const vec& b) { return std::inner_product(b.begin(), b.end(), a.begin(), 0.0); }

// Inequalities Mu + s = t, s >= 0, with multipliers z >= 0: the rows of G, or a diagonal M = ∓I over the bounded variables.
struct family {
    matrix_view<const double> rows;
    std::vector<index> at;  // the variables of a diagonal family
    double sign = 0;        // 0: rows
    vec t, s, z;
    vec Mu, residual;    // Mu + s - t
    vec ds, dz, target;  // s·dz + z·ds = -target

    std::size_t size() const { return t.size(); }
    void apply(const vec& u, vec& out) const {  // out = Mu
        out.assign(size(), 0.0);
        if (sign == 0) return add_multiply(1, rows, transposed::no, u.data(), out.data());
        for (std::size_t i = 0; i < at.size(); ++i) out[i] = sign * u[static_cast<std::size_t>(at[i])];
    }
    void add_transposed(const vec& v, vec& out) const {  // out += Mᵀv
        if (sign == 0) return add_multiply(1, rows, transposed::yes, v.data(), out.data());
        for (std::size_t i = 0; i < at.size(); ++i) out[static_cast<std::size_t>(at[i])] += sign * v[i];
    }
};

class method {
public:
    method(const quadratic_program& problem, const qp_options& options) : q_(problem), options_(options), n_(problem.p.size()) {
        for (family* f : {&rows_, &low_, &high_}) all_[f == &rows_ ? 0 : f == &low_ ? 1 : 2] = f;
        rows_.rows = q_.G;
        rows_.t.assign(q_.h.begin(), q_.h.end());
        low_.sign = -1;
        high_.sign = 1;
        for (std::size_t i = 0; i < n_; ++i) {
            if (!q_.lower.empty() && q_.lower[i] > -infinity) low_.at.push_back(static_cast<index>(i)), low_.t.push_back(-q_.lower[i]);
            if (!q_.upper.empty() && q_.upper[i] < infinity) high_.at.push_back(static_cast<index>(i)), high_.t.push_back(q_.upper[i]);
        }
        H_ = matrix<double>(static_cast<index>(n_), static_cast<index>(n_));
        T_ = matrix<double>(q_.A.rows, static_cast<index>(n_));
        scaled_ = matrix<double>(q_.G.rows, q_.G.cols);
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
            if (merit < 0.9 * best) best = merit, since = 0, keep();
            if (merit <= options_.tol) return finish(fit_status::converged);
            if (options_.progress &&
                !options_.progress({step, result_.primal, result_.dual, result_.gap, result_.primal_residual, result_.dual_residual, result_.seconds, u_}))
                return finish(fit_status::cancelled);
            if (proves_infeasible()) return finish(fit_status::infeasible);
            if (proves_unbounded()) return finish(fit_status::unbounded);
            if (step >= options_.most_steps) return finish(fit_status::step_limit);
            if (seconds() > options_.most_seconds) return finish(fit_status::time_limit);
            // Close to the end rounding decides; further away a pause may come before progress.
            if (++since > (best < 1e-6 ? 4 : 20) || !std::isfinite(merit) || !factor()) return finish(fit_status::stalled);
            advance();
        }
    }

private:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }

    void multiply_Q(const vec& u, vec& out) const {
        out.assign(n_, 0.0);
        if (q_.Q.rows > 0) multiply_symmetric(q_.Q, u.data(), out.data());
    }

    // Variables as far inside their bounds as the curvature says that p would carry them; multipliers of bounds that make u stationary
    // where a variable has both.
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
        for (std::size_t i = 0; i < n_; ++i) gradient[i] += q_.p[i], size += std::abs(gradient[i]) / static_cast<double>(n_);
        if (!(size > 0)) size = 1;
        for (family* f : all_) {
            f->apply(u_, f->Mu);
            f->s.resize(f->size());
            f->z.assign(f->size(), size);
            for (std::size_t i = 0; i < f->size(); ++i) f->s[i] = std::max(f->t[i] - f->Mu[i], f->sign == 0 ? -infinity : 1e-16 * (1e-100 + std::abs(f->t[i])));
            const double least = f->sign == 0 ? std::max(0.1 * largest(f->s), 1e-3 * reach) : 0;
            for (std::size_t i = 0; i < f->size(); ++i) {
                if (f->sign == 0)
                    f->s[i] = std::max(f->s[i], least);
                else
                    f->z[i] += std::max(0.0, -f->sign * gradient[static_cast<std::size_t>(f->at[i])]);
            }
        }
        y_.assign(static_cast<std::size_t>(q_.A.rows), 0.0);
        for (const family* f : all_) products_at_start_ += dot(f->s, f->z);
    }

    // Residuals and objectives of where we are.
    void measure() {
        multiply_Q(u_, Qu_);
        vec parts(n_, 0.0), turned(n_, 0.0);
        double products = 0, support = 0, primal = 0;
        for (family* f : all_) {
            f->apply(u_, f->Mu);
            f->residual.resize(f->size());
            for (std::size_t i = 0; i < f->size(); ++i) f->residual[i] = f->Mu[i] + f->s[i] - f->t[i];
            const double size = std::max({largest(f->Mu), largest(f->s), largest(f->t)});
            if (size > 0) primal = std::max(primal, largest(f->residual) / size);
            f->add_transposed(f->z, parts);
            products += dot(f->s, f->z);
            support += dot(f->t, f->z);
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
        for (std::size_t i = 0; i < n_; ++i) farkas_[i] += turned[i], farkas_size_ = std::max({farkas_size_, std::abs(parts[i]), std::abs(turned[i])});
        farkas_value_ = support + dot(q_.b, y_);
        const double curve = dot(u_, Qu_);
        result_.primal = curve / 2 + dot(q_.p, u_);
        result_.dual = -curve / 2 - farkas_value_;
        // An optimum of zero has no relative gap: rounding of what the products started from is as good.
        const double scale = std::max({std::abs(result_.primal), std::abs(result_.dual), 1e-14 * products_at_start_});
        const double apart = std::max(std::abs(result_.primal - result_.dual), products);
        result_.gap = scale > 0 ? apart / scale : apart;
        result_.primal_residual = primal;
        result_.dual_residual = size > 0 ? largest(stationarity_) / size : 0;
        std::size_t count = 0;
        for (const family* f : all_) count += f->size();
        mu_ = count > 0 ? products / static_cast<double>(count) : 0;
    }

    bool factor() {
        double most = 0;
        for (double regular = 0;; regular = regular == 0 ? 1e-14 : regular * 100) {
            if (regular > 1e-4) return false;
            copy_Q();
            if (rows_.size() > 0) {
                for (index r = 0; r < q_.G.rows; ++r) {
                    const double root = std::sqrt(rows_.z[static_cast<std::size_t>(r)] / rows_.s[static_cast<std::size_t>(r)]);
                    for (std::size_t i = 0; i < n_; ++i) scaled_(r, static_cast<index>(i)) = root * q_.G(r, static_cast<index>(i));
                }
                add_gram(scaled_.view(), H_);
            }
            for (const family* f : {&low_, &high_})
                for (std::size_t i = 0; i < f->size(); ++i) H_(f->at[i], f->at[i]) += f->z[i] / f->s[i];
            if (most == 0) {
                // The median, roughly: bounds that are met make single entries huge.
                most = infinity;
                for (std::size_t i = 0; i < n_; ++i)
                    if (const double d = H_(static_cast<index>(i), static_cast<index>(i)); d > 0) most = std::min(most, d);
                if (!std::isfinite(most)) most = 1;
                double curvature = 0;
                for (index i = 0; i < q_.Q.rows; ++i) curvature = std::max(curvature, q_.Q(i, i));
                most = std::max(most, curvature);
            }
            if (regular > 0)
                for (std::size_t i = 0; i < n_; ++i) H_(static_cast<index>(i), static_cast<index>(i)) += regular * most;
            if (cholesky_in_place(H_)) break;
        }
        if (q_.A.rows == 0) return true;
        // T = H⁻¹Aᵀ by rows, S = AT
        for (index e = 0; e < q_.A.rows; ++e) std::copy_n(q_.A.row(e), n_, T_.row(e));
        cholesky_solve(H_, T_.view());
        const matrix<double> S = product(q_.A, transposed::no, T_.view(), transposed::yes);
        double top = 0;
        for (index e = 0; e < S.rows(); ++e) top = std::max(top, S(e, e));
        // Equations that repeat each other, or say nothing, leave S singular.
        for (double regular = 0; regular < 1e-2; regular = regular == 0 ? 1e-14 : regular * 100) {
            S_ = S;
            for (index e = 0; e < S.rows(); ++e) S_(e, e) += regular * top + (top == 0 ? 1 : 0);
            if (cholesky_in_place(S_)) return true;
        }
        return false;
    }

    void copy_Q() {
        const auto n = static_cast<index>(n_);
        for (index i = 0; i < n; ++i) {
            if (q_.Q.rows > 0)
                std::copy_n(q_.Q.row(i) + i, n - i, H_.row(i) + i);
            else
                std::fill_n(H_.row(i) + i, n - i, 0.0);
        }
    }

    // The direction towards s·z = what the targets say, from the factors of H.
    void solve() {
        vec right(n_);
        for (std::size_t i = 0; i < n_; ++i) right[i] = -stationarity_[i];
        for (const family* f : all_) {
            vec part(f->size());
            for (std::size_t i = 0; i < f->size(); ++i) part[i] = (f->target[i] - f->z[i] * f->residual[i]) / f->s[i];
            f->add_transposed(part, right);
        }
        du_ = right;
        cholesky_solve(H_, {du_.data(), 1, static_cast<index>(n_)});
        dy_.assign(y_.size(), 0.0);
        if (!y_.empty()) {
            dy_ = equation_;  // A·H⁻¹r - (b - Au)
            add_multiply(1, q_.A, transposed::no, du_.data(), dy_.data());
            cholesky_solve(S_, {dy_.data(), 1, static_cast<index>(dy_.size())});
            add_multiply(-1, T_.view(), transposed::yes, dy_.data(), du_.data());
        }
        for (family* f : all_) {
            f->apply(du_, f->ds);
            f->dz.resize(f->size());
            for (std::size_t i = 0; i < f->size(); ++i) {
                f->ds[i] = -f->residual[i] - f->ds[i];
                f->dz[i] = (-f->target[i] - f->z[i] * f->ds[i]) / f->s[i];
            }
        }
    }

    double longest() const {
        double step = infinity;
        for (const family* f : all_)
            for (std::size_t i = 0; i < f->size(); ++i) {
                if (f->ds[i] < 0) step = std::min(step, -f->s[i] / f->ds[i]);
                if (f->dz[i] < 0) step = std::min(step, -f->z[i] / f->dz[i]);
            }
        return step;
    }

    void advance() {
        for (family* f : all_) {
            f->target.resize(f->size());
            for (std::size_t i = 0; i < f->size(); ++i) f->target[i] = f->s[i] * f->z[i];
        }
        solve();
        const double reach = std::min(1.0, longest());
        double after = 0;
        std::size_t count = 0;
        for (const family* f : all_) {
            for (std::size_t i = 0; i < f->size(); ++i) after += (f->s[i] + reach * f->ds[i]) * (f->z[i] + reach * f->dz[i]);
            count += f->size();
        }
        if (count > 0) {
            const double ratio = mu_ > 0 ? after / static_cast<double>(count) / mu_ : 0, sigma = std::clamp(ratio * ratio * ratio, 0.0, 1.0);
            for (family* f : all_)
                for (std::size_t i = 0; i < f->size(); ++i) f->target[i] += f->ds[i] * f->dz[i] - sigma * mu_;
            solve();
            centre(sigma * mu_);
        }
        const double step = std::min(1.0, (result_.gap < 1e-3 ? 0.998 : 0.99) * longest());
        for (std::size_t i = 0; i < n_; ++i) u_[i] += step * du_[i];
        for (std::size_t e = 0; e < y_.size(); ++e) y_[e] += step * dy_[e];
        for (family* f : all_)
            for (std::size_t i = 0; i < f->size(); ++i) f->s[i] += step * f->ds[i], f->z[i] += step * f->dz[i];
    }

    // Products s·z that would be far from the others after a longer step shorten the step that can be taken. Bringing them nearer to `mean` costs
    // another solution with the factors at hand, and saves a factorisation where it lengthens the step (Gondzio 1996).
    void centre(double mean) {
        for (int tries = 0; tries < most_centrings; ++tries) {
            const double reach = std::min(1.0, longest());
            if (reach >= 0.99) return;
            const double further = std::min(1.0, 1.1 * reach + 0.1);
            vec targets[3], ds[3], dz[3];
            const vec du = du_, dy = dy_;
            for (int f = 0; f < 3; ++f) {
                family& each = *all_[f];
                targets[f] = each.target, ds[f] = each.ds, dz[f] = each.dz;
                for (std::size_t i = 0; i < each.size(); ++i) {
                    const double product = (each.s[i] + further * each.ds[i]) * (each.z[i] + further * each.dz[i]);
                    each.target[i] -= std::max(std::clamp(product, 0.1 * mean, 10 * mean) - product, -10 * mean);
                }
            }
            solve();
            if (std::min(1.0, longest()) >= reach + 0.1 * (further - reach)) continue;
            for (int f = 0; f < 3; ++f) all_[f]->target = targets[f], all_[f]->ds = ds[f], all_[f]->dz = dz[f];
            du_ = du, dy_ = dy;
            return;
        }
    }

    // Multipliers as they are, divided by -(tᵀz + bᵀy), exclude every u with ‖u‖₁ < 1/‖Mᵀz + Aᵀy‖∞.
    bool proves_infeasible() const {
        if (!(farkas_value_ < 0)) return false;
        double size = 0;
        for (const double each : u_) size += std::abs(each);
        // The sum must also vanish against its terms: u may be zero by chance.
        return largest(farkas_) <= options_.tol * farkas_size_ && largest(farkas_) * size <= options_.tol * -farkas_value_;
    }
    bool proves_unbounded() const {
        const double fall = dot(q_.p, u_);
        return fall < 0 && is_ray(q_, u_, options_.tol);
    }

    void keep() {
        best_u_ = u_, best_y_ = y_;
        for (int f = 0; f < 3; ++f) best_z_[f] = all_[f]->z;
        best_ = result_;
    }

    qp_result finish(fit_status status) {
        const bool proof = status == fit_status::infeasible || status == fit_status::unbounded;
        if (!proof && status != fit_status::converged && !best_u_.empty()) {
            const auto steps = result_.steps;
            result_ = best_;
            result_.steps = steps;
            u_ = best_u_, y_ = best_y_;
            for (int f = 0; f < 3; ++f) all_[f]->z = best_z_[f];
        }
        result_.status = status;
        result_.u = u_;
        result_.y = y_;
        result_.z = rows_.z;
        result_.z_lower.assign(n_, 0.0);
        result_.z_upper.assign(n_, 0.0);
        for (std::size_t i = 0; i < low_.size(); ++i) result_.z_lower[static_cast<std::size_t>(low_.at[i])] = low_.z[i];
        for (std::size_t i = 0; i < high_.size(); ++i) result_.z_upper[static_cast<std::size_t>(high_.at[i])] = high_.z[i];
        result_.seconds = seconds();
        return std::move(result_);
    }

    const quadratic_program& q_;
    const qp_options& options_;
    std::size_t n_;
    family rows_, low_, high_;
    family* all_[3] = {};
    vec u_, y_, Qu_, stationarity_, equation_, du_, dy_, farkas_;
    double farkas_value_ = 0, farkas_size_ = 0, mu_ = 0, products_at_start_ = 0;
    matrix<double> H_, T_, S_, scaled_;
    vec best_u_, best_y_, best_z_[3];
    qp_result best_, result_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

void check(const quadratic_program& q, const qp_options& options) {
    const auto n = static_cast<index>(q.p.size());
    const auto need = [](bool ok, const char* what, index got, index wanted) {
        if (!ok) fail(errc::invalid_argument, fmt::format("quadratic program: {} must be {}, got {}", what, wanted, got));
    };
    if (n == 0) fail(errc::invalid_argument, "quadratic program: there are no variables");
    if (!(options.tol > 0)) fail(errc::invalid_argument, fmt::format("quadratic program: must satisfy tol > 0, got {}", options.tol));
    if (q.Q.rows > 0) need(q.Q.rows == n && q.Q.cols == n, "rows and columns of Q", q.Q.rows != n ? q.Q.rows : q.Q.cols, n);
    if (q.G.rows > 0) need(q.G.cols == n, "columns of G", q.G.cols, n);
    need(static_cast<index>(q.h.size()) == q.G.rows, "entries of h", static_cast<index>(q.h.size()), q.G.rows);
    if (q.A.rows > 0) need(q.A.cols == n, "columns of A", q.A.cols, n);
    need(static_cast<index>(q.b.size()) == q.A.rows, "entries of b", static_cast<index>(q.b.size()), q.A.rows);
    if (!q.lower.empty()) need(static_cast<index>(q.lower.size()) == n, "lower bounds", static_cast<index>(q.lower.size()), n);
    if (!q.upper.empty()) need(static_cast<index>(q.upper.size()) == n, "upper bounds", static_cast<index>(q.upper.size()), n);
    for (index i = 0; i < q.Q.rows; ++i)
        for (index j = i; j < n; ++j)
            if (!std::isfinite(q.Q(i, j))) fail(errc::data, fmt::format("quadratic program: Q must be finite, got {} at row {}, column {}", q.Q(i, j), i, j));
    require_finite(q.G, "quadratic program, G");
    require_finite(q.A, "quadratic program, A");
    const auto finite = [](std::span<const double> v, const char* what) {
        for (std::size_t i = 0; i < v.size(); ++i)
            if (!std::isfinite(v[i])) fail(errc::data, fmt::format("quadratic program: {} must be finite, got {} at position {}", what, v[i], i));
    };
    finite(q.p, "p");
    finite(q.h, "h");
    finite(q.b, "b");
    for (std::size_t i = 0; i < q.lower.size(); ++i)
        if (std::isnan(q.lower[i]) || q.lower[i] == infinity) fail(errc::data, fmt::format("quadratic program: lower bound {} is {}", i, q.lower[i]));
    for (std::size_t i = 0; i < q.upper.size(); ++i)
        if (std::isnan(q.upper[i]) || q.upper[i] == -infinity) fail(errc::data, fmt::format("quadratic program: upper bound {} is {}", i, q.upper[i]));
}

}  // namespace

qp_result iterate_qp(const quadratic_program& problem, const qp_options& options) { return method(problem, options).run(); }

qp_result solve_qp(const quadratic_program& problem, const qp_options& options) {
    check(problem, options);
    return solve_checked_qp(problem, options, true);
}

}  // namespace mercer
