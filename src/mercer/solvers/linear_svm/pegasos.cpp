#include "mercer/solvers/linear_svm/pegasos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "mercer/base/context.h"
#include "mercer/base/error.h"

namespace mercer {
namespace {

class pegasos {
public:
    pegasos(const hinge_problem& problem, const pegasos_options& options)
        : p_(problem),
          o_(options),
          n_(problem.x.rows()),
          batch_(std::min(options.batch, n_)),
          w_(problem.x.dims(), options.average),
          alpha_(n_, options.average),
          order_(static_cast<std::size_t>(n_)),
          f_(static_cast<std::size_t>(n_)),
          random_(options.seed) {
        std::iota(order_.begin(), order_.end(), index{0});
        radius_ = std::sqrt(std::accumulate(p_.C.begin(), p_.C.end(), 0.0));  // 1/√λ
        if (o_.offset == offset_rule::exact) {
            double square = 0;
            for (index i = 0; i < n_; ++i) square += p_.x.squared_norm(i);
            b_.emplace(best_offset(f_, p_.y, p_.C).b, square / static_cast<double>(n_));
        }
        best_.w = w_.value(), best_.b = offset(), best_.primal = hinge_loss(f_, best_.b, p_.y, p_.C);
        best_.alpha = alpha_.value();
    }

    descent_result run() {
        run_epochs(
            o_, best_, steps_, [this](const descent_clock& clock) { epoch(clock); }, [this](bool) { evaluate(); });
        return std::move(best_);
    }

private:
    double offset() const { return b_ ? b_->value() : 0; }

    void epoch(const descent_clock& clock) {
        shuffle(order_, random_);
        std::vector<index> violated;
        for (index first = 0; first < n_ && steps_ < o_.max_steps; first += batch_) {
            if (steps_ % 1024 == 1023) {
                throw_if_cancelled();
                if (clock.is_late()) break;
            }
            const index count = std::min(batch_, n_ - first);
            violated.clear();
            const double b = offset();
            for (index k = first; k < first + count; ++k) {
                const index i = order_[static_cast<std::size_t>(k)];
                if (p_.y[i] * (w_.scale() * p_.x.dot(i, w_.unscaled()) + b) < 1) violated.push_back(i);
            }
            // ηλ = 1/t, and (η/k)vᵢ = (n/k)Cᵢ/t
            const auto t = static_cast<double>(++steps_);
            const double each = static_cast<double>(n_) / static_cast<double>(count) / t;
            w_.scale_by(1 - 1 / t);
            alpha_.scale_by(1 - 1 / t);
            square_ *= (1 - 1 / t) * (1 - 1 / t);
            double pull = 0;
            for (const index i : violated) {
                if (o_.project) {
                    // ‖w + ax‖² = ‖w‖² + 2a·wᵀx + a²‖x‖²
                    const double a = each * p_.C[i] * p_.y[i];
                    square_ += 2 * a * w_.scale() * p_.x.dot(i, w_.unscaled()) + a * a * p_.x.squared_norm(i);
                }
                pull += static_cast<double>(n_) / static_cast<double>(count) * p_.C[i] * p_.y[i];
                w_.add(each * p_.C[i] * p_.y[i], [&](double a, double* to) { p_.x.add(i, a, to); });
                alpha_.add(each * p_.C[i], [&](double a, double* to) { to[i] += a; });
            }
            if (o_.project && square_ > radius_ * radius_) {
                const double by = radius_ / std::sqrt(square_);
                w_.scale_by(by);
                alpha_.scale_by(by);
                square_ = radius_ * radius_;
            }
            w_.accumulate(t);
            alpha_.accumulate(t);
            if (b_) b_->step(t, pull);
        }
        if (b_) b_->end_epoch(++epochs_);
    }

    void evaluate() {
        std::vector<double> w = w_.mean(), a = alpha_.mean();
        for (index i = 0; i < n_; ++i) f_[static_cast<std::size_t>(i)] = p_.x.dot(i, w.data());
        const double b = o_.offset == offset_rule::exact ? best_offset(f_, p_.y, p_.C).b : 0;
        const double primal =
            std::inner_product(w.begin(), w.end(), w.begin(), 0.0) / 2 + hinge_loss(f_, b, p_.y, p_.C);
        // Without an average the result is the last w even if an earlier one was better, as in kernel Pegasos.
        if (primal < best_.primal || !o_.average) best_.primal = primal, best_.w = std::move(w), best_.b = b;
        const double dual = evaluate_dual(p_, a, o_.offset != offset_rule::none);
        if (dual > best_.dual || !o_.average) best_.dual = dual, best_.alpha = std::move(a);
        best_.gap = best_.primal > 0 ? (best_.primal - best_.dual) / best_.primal : 0;
    }

    const hinge_problem& p_;
    const pegasos_options& o_;
    index n_, batch_;
    scaled_vector w_, alpha_;
    std::vector<index> order_;
    std::vector<double> f_;
    splitmix64 random_;
    std::optional<proximal_offset> b_;  // empty: no offset
    double radius_ = 0, square_ = 0;
    std::int64_t steps_ = 0, epochs_ = 0;
    descent_result best_;
};

}  // namespace

void check(const pegasos_options& o) {
    const auto need = [](bool ok, const char* condition, double value) {
        if (!ok) fail(errc::invalid_argument, fmt::format("pegasos: must satisfy {}, got {}", condition, value));
    };
    need(o.batch >= 1, "batch >= 1", static_cast<double>(o.batch));
    need(o.tol > 0, "tol > 0", o.tol);
    need(o.max_epochs >= 1, "max_epochs >= 1", static_cast<double>(o.max_epochs));
    need(o.max_steps >= 1, "max_steps >= 1", static_cast<double>(o.max_steps));
    need(o.evaluate_every >= 1, "evaluate_every >= 1", static_cast<double>(o.evaluate_every));
    if (o.offset == offset_rule::subgradient)
        fail(errc::unsupported, "pegasos: the offset must be absent, exact, or a constant feature of the data");
}

void run_epochs(const pegasos_options& o, descent_result& best, const std::int64_t& steps,
                const std::function<void(const descent_clock&)>& epoch, const std::function<void(bool)>& evaluate) {
    descent_clock clock(o.max_seconds);
    for (std::int64_t number = 1;; ++number) {
        bool stopped = !completes_unless_cancelled([&] { epoch(clock); });
        const bool limit = number >= o.max_epochs || steps >= o.max_steps, late = clock.is_late();
        if (number % o.evaluate_every != 0 && !stopped && !limit && !late) continue;
        const double now = clock.solver_seconds();
        const descent_clock::measurement measuring(clock);
        if (!stopped && !late) stopped = !completes_unless_cancelled([&] { evaluate(false); });
        if (stopped || late) {
            const cancellation_override nobody(nullptr);
            evaluate(true);
        }
        best.epochs = number, best.steps = steps, best.seconds = now;
        const bool on =
            !stopped && (!o.progress || o.progress({number, steps, best.primal, best.dual, now, best.w, best.b}));
        best.status = best.gap <= o.tol ? fit_status::converged
                      : !on             ? fit_status::cancelled
                      : late            ? fit_status::time_limit
                                        : fit_status::step_limit;
        if (best.status != fit_status::step_limit || limit) return;
    }
}

descent_result solve_pegasos(const hinge_problem& problem, const pegasos_options& options) {
    check(problem, "pegasos");
    check(options);
    return pegasos(problem, options).run();
}

}  // namespace mercer
