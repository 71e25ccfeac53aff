#include "mercer/solvers/interior_point/quadratic_program.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "mercer/base/infinity.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/solvers/interior_point/kkt_system.h"
#include "mercer/solvers/interior_point/proofs.h"

namespace mercer {

namespace {

using vec = std::vector<double>;
constexpr int most_centrings = 2;

double largest(const vec& v) {
    double most = 0;
    for (const double each : v) most = std::max(most, std::abs(each));
    return most;
}
double inner_product(const vec& a, const vec& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double inner_product(std::span<const double> a, const vec& b) {
    return std::inner_product(b.begin(), b.end(), a.begin(), 0.0);
}

class method {
public:
    method(const quadratic_program& problem, const qp_options& options)
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
            if (merit < 0.9 * best) best = merit, since = 0, keep();
            if (merit <= options_.tol) return finish(fit_status::converged);
            if (options_.progress &&
                !options_.progress({step, result_.primal, result_.dual, result_.gap, result_.primal_residual,
                                    result_.dual_residual, result_.seconds, u_}))
                return finish(fit_status::cancelled);
            if (proves_infeasible()) return finish(fit_status::infeasible);
            if (proves_unbounded()) return finish(fit_status::unbounded);
            if (step >= options_.most_steps) return finish(fit_status::step_limit);
            if (seconds() > options_.most_seconds) return finish(fit_status::time_limit);
            // Close to the end rounding decides; further away a pause may come before progress.
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

    // Variables as far inside their bounds as the curvature says that p would carry them; multipliers of bounds that
    // make u stationary where a variable has both.
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
                    f->z[i] += std::max(0.0, -f->sign * gradient[static_cast<std::size_t>(f->at[i])]);
            }
        }
        y_.assign(static_cast<std::size_t>(q_.A.rows), 0.0);
        for (const inequalities* f : all_.each) products_at_start_ += inner_product(f->s, f->z);
    }

    // Residuals and objectives of where we are.
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
        // An optimum of zero has no relative gap: rounding of what the products started from is as good.
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

    double longest() const {
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
        const double reach = std::min(1.0, longest());
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
            centre(sigma * mu_);
        }
        const double step = std::min(1.0, (result_.gap < 1e-3 ? 0.998 : 0.99) * longest());
        for (std::size_t i = 0; i < n_; ++i) u_[i] += step * newton_.du[i];
        for (std::size_t e = 0; e < y_.size(); ++e) y_[e] += step * newton_.dy[e];
        for (inequalities* f : all_.each)
            for (std::size_t i = 0; i < f->size(); ++i) f->s[i] += step * f->ds[i], f->z[i] += step * f->dz[i];
    }

    // Products s·z that would be far from the others after a longer step shorten the step that can be taken. Bringing
    // them nearer to `mean` costs another solution with the factors at hand, and saves a factorisation where it
    // lengthens the step (Gondzio 1996).
    void centre(double mean) {
        for (int tries = 0; tries < most_centrings; ++tries) {
            const double reach = std::min(1.0, longest());
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
            if (std::min(1.0, longest()) >= reach + 0.1 * (further - reach)) continue;
            for (int f = 0; f < 3; ++f)
                all_.each[f]->target = targets[f], all_.each[f]->ds = ds[f], all_.each[f]->dz = dz[f];
            newton_.du = du, newton_.dy = dy;
            return;
        }
    }

    // Multipliers as they are, divided by -(tᵀz + bᵀy), exclude every u with ‖u‖₁ < 1/‖Mᵀz + Aᵀy‖∞.
    bool proves_infeasible() const {
        if (!(farkas_value_ < 0)) return false;
        double size = 0;
        for (const double each : u_) size += std::abs(each);
        // The sum must also vanish against its terms: u may be zero by chance.
        return largest(farkas_) <= options_.tol * farkas_size_ &&
               largest(farkas_) * size <= options_.tol * -farkas_value_;
    }
    bool proves_unbounded() const {
        const double fall = inner_product(q_.p, u_);
        return fall < 0 && is_ray(q_, u_, options_.tol);
    }

    void keep() {
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
            result_.z_lower[static_cast<std::size_t>(all_.low.at[i])] = all_.low.z[i];
        for (std::size_t i = 0; i < all_.high.size(); ++i)
            result_.z_upper[static_cast<std::size_t>(all_.high.at[i])] = all_.high.z[i];
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

}  // namespace

qp_result iterate_qp(const quadratic_program& problem, const qp_options& options) {
    return method(problem, options).run();
}

}  // namespace mercer
