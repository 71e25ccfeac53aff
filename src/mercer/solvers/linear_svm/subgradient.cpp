#include "mercer/solvers/linear_svm/subgradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"

namespace mercer {
namespace {

class descent {
public:
    descent(const hinge_problem& problem, const subgradient_options& options)
        : p_(problem),
          o_(options),
          n_(problem.x.rows()),
          batch_(options.batch > 0 && options.batch < n_ ? options.batch : n_),
          w_(problem.x.dims(), options.average),
          alpha_(n_, options.average),
          order_(static_cast<std::size_t>(n_)),
          f_(static_cast<std::size_t>(n_)),
          random_(options.seed) {
        std::iota(order_.begin(), order_.end(), index{0});
    }

    descent_result run() {
        descent_clock clock(o_.max_seconds);
        double before = std::numeric_limits<double>::infinity();
        for (std::int64_t epoch = 1;; ++epoch) {
            batch_ == n_ ? batch_step() : stochastic_epoch(clock);
            const bool last = epoch >= o_.max_epochs, late = clock.is_late();
            if (epoch % o_.evaluate_every != 0 && !last && !late) continue;
            const double now = clock.solver_seconds();
            const descent_clock::measurement measuring(clock);
            evaluate();
            best_.epochs = epoch, best_.steps = steps_, best_.seconds = now;
            const bool changed = o_.change == 0 || std::abs(before - last_primal_) > o_.change * std::abs(last_primal_);
            before = last_primal_;
            const bool on =
                !o_.progress || o_.progress({epoch, steps_, best_.primal, best_.dual, now, best_.w, best_.b});
            best_.status = best_.gap <= o_.tol || !changed ? fit_status::converged
                           : !on                           ? fit_status::cancelled
                           : late                          ? fit_status::time_limit
                                                           : fit_status::step_limit;
            if (best_.status != fit_status::step_limit || last) return std::move(best_);
        }
    }

private:
    double eta() const {
        const auto t = static_cast<double>(steps_);
        return o_.schedule == step_schedule::constant  ? o_.eta
               : o_.schedule == step_schedule::inverse ? o_.eta / t
                                                       : o_.eta / std::sqrt(t);
    }

    void values(const double* w, double scale) {
        for (index i = 0; i < n_; ++i) f_[static_cast<std::size_t>(i)] = scale * p_.x.dot(i, w);
    }

    void batch_step() {
        ++steps_;
        values(w_.unscaled(), w_.scale());
        std::vector<double> share;
        if (o_.offset == offset_rule::exact) {
            offset_choice chosen = best_offset(f_, p_.y, p_.C, true);
            b_ = chosen.b;
            share = std::move(chosen.alpha);
        } else {
            share.assign(f_.size(), 0.0);
            for (std::size_t i = 0; i < f_.size(); ++i)
                if (p_.y[i] * (f_[i] + b_) < 1) share[i] = p_.C[i];
        }
        std::vector<double> g(static_cast<std::size_t>(p_.x.dims()), 0.0);
        double pull = 0;
        for (std::size_t i = 0; i < share.size(); ++i) {
            if (share[i] != 0) p_.x.add(static_cast<index>(i), share[i] * p_.y[i], g.data());
            pull += share[i] * p_.y[i];
        }
        double step = 0;
        if (o_.schedule == step_schedule::best) {
            // D along α + η(share - α) has the slope Σ(share - α) - wᵀ(g - w) and the curvature ‖g - w‖².
            const std::vector<double> w = w_.value(), a = alpha_.value();
            double slope = 0, curve = 0;
            for (std::size_t i = 0; i < share.size(); ++i) slope += share[i] - a[i];
            for (std::size_t j = 0; j < w.size(); ++j)
                slope -= w[j] * (g[j] - w[j]), curve += (g[j] - w[j]) * (g[j] - w[j]);
            step = curve > 0 ? std::clamp(slope / curve, 0.0, 1.0) : slope > 0 ? 1.0 : 0.0;
        } else {
            step = std::min(1.0, eta());
        }
        w_.scale_by(1 - step);
        alpha_.scale_by(1 - step);
        const auto into = [](const std::vector<double>& from) {
            return [&from](double a, double* to) {
                for (std::size_t j = 0; j < from.size(); ++j) to[j] += a * from[j];
            };
        };
        w_.add(step, into(g));
        alpha_.add(step, into(share));
        if (o_.offset == offset_rule::subgradient) b_ += step * pull;
        accumulate_averages();
    }

    void stochastic_epoch(const descent_clock& clock) {
        shuffle(order_, random_);
        std::vector<index> violated;
        for (index first = 0; first < n_; first += batch_) {
            if (steps_ % 1024 == 1023 && clock.is_late()) break;
            ++steps_;
            const index count = std::min(batch_, n_ - first);
            violated.clear();
            for (index k = first; k < first + count; ++k) {
                const index i = order_[static_cast<std::size_t>(k)];
                if (p_.y[i] * (w_.scale() * p_.x.dot(i, w_.unscaled()) + b_) < 1) violated.push_back(i);
            }
            const double step = std::min(1.0, eta()),
                         each = step * static_cast<double>(n_) / static_cast<double>(count);
            w_.scale_by(1 - step);
            alpha_.scale_by(1 - step);
            for (const index i : violated) {
                w_.add(each * p_.C[i] * p_.y[i], [&](double a, double* to) { p_.x.add(i, a, to); });
                alpha_.add(each * p_.C[i], [&](double a, double* to) { to[i] += a; });
                if (o_.offset == offset_rule::subgradient) b_ += each * p_.C[i] * p_.y[i];
            }
            accumulate_averages();
        }
        if (o_.offset == offset_rule::exact) {
            values(w_.unscaled(), w_.scale());
            b_ = best_offset(f_, p_.y, p_.C).b;
        }
    }

    void accumulate_averages() {
        const auto t = static_cast<double>(steps_);
        w_.accumulate(t);
        alpha_.accumulate(t);
        mean_b_ += 2 / (t + 1) * (b_ - mean_b_);
    }

    // Evaluates J and D at the current w and α or at their averages, and keeps the best of each.
    void evaluate() {
        std::vector<double> w = w_.mean(), a = alpha_.mean();
        values(w.data(), 1);
        double b = o_.average ? mean_b_ : b_;
        if (o_.offset == offset_rule::exact) b = best_offset(f_, p_.y, p_.C).b;
        last_primal_ = std::inner_product(w.begin(), w.end(), w.begin(), 0.0) / 2 + hinge_loss(f_, b, p_.y, p_.C);
        if (best_.w.empty() || last_primal_ < best_.primal)
            best_.primal = last_primal_, best_.w = std::move(w), best_.b = b;
        const double dual = evaluate_dual(p_, a, o_.offset != offset_rule::none);
        if (best_.alpha.empty() || dual > best_.dual) best_.dual = dual, best_.alpha = std::move(a);
        best_.gap = best_.primal > 0 ? (best_.primal - best_.dual) / best_.primal : 0;
    }

    const hinge_problem& p_;
    const subgradient_options& o_;
    index n_, batch_;
    scaled_vector w_, alpha_;
    double b_ = 0, mean_b_ = 0, last_primal_ = 0;
    std::int64_t steps_ = 0;
    std::vector<index> order_;
    std::vector<double> f_;
    splitmix64 random_;
    descent_result best_;
};

}  // namespace

descent_result solve_subgradient(const hinge_problem& problem, const subgradient_options& o) {
    check(problem, "subgradient");
    const auto need = [](bool ok, const char* condition, double value) {
        if (!ok) fail(errc::invalid_argument, fmt::format("subgradient: must satisfy {}, got {}", condition, value));
    };
    need(o.eta > 0 && o.eta <= 1, "0 < eta <= 1", o.eta);
    need(o.batch >= 0, "batch >= 0", static_cast<double>(o.batch));
    need(o.tol > 0, "tol > 0", o.tol);
    need(o.change >= 0, "change >= 0", o.change);
    need(o.max_epochs >= 1, "max_epochs >= 1", static_cast<double>(o.max_epochs));
    need(o.evaluate_every >= 1, "evaluate_every >= 1", static_cast<double>(o.evaluate_every));
    if (o.schedule == step_schedule::best &&
        (o.offset == offset_rule::subgradient || (o.batch > 0 && o.batch < problem.x.rows())))
        fail(errc::unsupported, "subgradient: the best step needs the whole batch, and the best offset or no offset");
    return descent(problem, o).run();
}

}  // namespace mercer
