#include "mercer/solvers/linear_svm/coordinate_descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {
namespace {

// The data of a variable, in adjacent memory.
struct variable {
    double alpha, upper, regular, curvature, y;
};

class coordinate_descent {
public:
    coordinate_descent(const hinge_problem& problem, const coordinate_descent_options& options)
        : p_(problem),
          o_(options),
          n_(problem.x.rows()),
          w_(static_cast<std::size_t>(problem.x.dims()), 0.0),
          order_(static_cast<std::size_t>(n_)),
          random_(options.seed) {
        std::iota(order_.begin(), order_.end(), index{0});
        const bool squared = o_.loss == hinge_power::l2;
        for (index i = 0; i < n_; ++i) {
            const double regular = squared ? 0.5 / p_.C[i] : 0;
            v_.push_back({0, squared ? infinity : p_.C[i], regular, p_.x.squared_norm(i) + regular, p_.y[i]});
        }
    }

    descent_result run() {
        descent_clock clock(o_.max_seconds);
        index active = n_;
        double above = infinity, below = -infinity;  // a variable at a bound with a gradient beyond these is shrunk
        for (out_.epochs = 1;; ++out_.epochs) {
            double most = -infinity, least = infinity;
            for (index s = 0; s < active; ++s) std::swap(order_[s], order_[s + random_.below(active - s)]);
            bool whole = true;  // all active variables were visited
            for (index s = 0, seen = 0; s < active; ++seen) {
                if (seen % 1024 == 1023) {
                    throw_if_cancelled();
                    if (clock.is_late()) {
                        whole = false;
                        break;
                    }
                }
                if (s + 2 < active) p_.x.prefetch(order_[s + 2]);
                const index i = order_[s];
                variable& v = v_[i];
                const double G = v.y * p_.x.dot(i, w_.data()) - 1 + v.regular * v.alpha;
                const bool low = v.alpha == 0, high = v.alpha == v.upper;
                if (o_.shrinking && ((low && G > above) || (high && G < below))) {
                    std::swap(order_[s], order_[--active]);
                    continue;
                }
                ++s;
                const double projected = low ? std::min(G, 0.0) : high ? std::max(G, 0.0) : G;
                most = std::max(most, projected);
                least = std::min(least, projected);
                if (std::abs(projected) <= 1e-12) continue;
                const double before = v.alpha;
                // A row of zeros has no curvature: the step ends at the bound.
                v.alpha = v.curvature > 0 ? std::clamp(before - G / v.curvature, 0.0, v.upper) : G < 0 ? v.upper : 0;
                p_.x.add(i, (v.alpha - before) * v.y, w_.data());
            }
            out_.steps += active;
            const bool small = whole && most - least <= o_.tol;
            out_.status = small && active == n_ ? fit_status::converged
                          : clock.is_late()     ? fit_status::time_limit
                                                : fit_status::step_limit;
            if (o_.progress && !report_progress(clock)) out_.status = fit_status::cancelled;
            if (out_.status != fit_status::step_limit || out_.epochs >= o_.max_epochs) break;
            if (small) {
                // An epoch over all variables has to confirm it.
                active = n_;
                above = infinity, below = -infinity;
            } else {
                above = most > 0 ? most : infinity;
                below = least < 0 ? least : -infinity;
            }
        }
        out_.seconds = clock.solver_seconds();
        finish();
        return std::move(out_);
    }

private:
    bool report_progress(descent_clock& clock) {
        const double now = clock.solver_seconds();
        const descent_clock::measurement measuring(clock);
        double primal = std::numeric_limits<double>::quiet_NaN(), dual = primal;
        if (o_.evaluate_objectives) measure(primal, dual);
        return o_.progress({out_.epochs, out_.steps, primal, dual, now, w_, 0});
    }

    void measure(double& primal, double& dual) const {
        const double square = std::inner_product(w_.begin(), w_.end(), w_.begin(), 0.0) / 2;
        primal = square, dual = -square;
        for (index i = 0; i < n_; ++i) {
            const variable& v = v_[i];
            const double short_of = std::max(0.0, 1 - v.y * p_.x.dot(i, w_.data()));
            primal += p_.C[i] * (o_.loss == hinge_power::l1 ? short_of : short_of * short_of);
            dual += v.alpha - v.regular * v.alpha * v.alpha / 2;
        }
    }

    // Recomputes w from α, without the accumulated rounding errors of the steps, and the result from it.
    void finish() {
        std::fill(w_.begin(), w_.end(), 0.0);
        for (index i = 0; i < n_; ++i) {
            out_.alpha.push_back(v_[i].alpha);
            if (v_[i].alpha != 0) p_.x.add(i, v_[i].alpha * v_[i].y, w_.data());
        }
        measure(out_.primal, out_.dual);
        out_.gap = out_.primal > 0 ? (out_.primal - out_.dual) / out_.primal : 0;
        out_.w = std::move(w_);
    }

    const hinge_problem& p_;
    const coordinate_descent_options& o_;
    index n_;
    std::vector<double> w_;
    std::vector<variable> v_;
    std::vector<index> order_;
    splitmix64 random_;
    descent_result out_;
};

}  // namespace

descent_result solve_dual_coordinate_descent(const hinge_problem& problem, const coordinate_descent_options& options) {
    check(problem, "dual coordinate descent");
    if (!(options.tol > 0))
        fail(errc::invalid_argument, fmt::format("dual coordinate descent: must satisfy tol > 0, got {}", options.tol));
    if (options.max_epochs < 1)
        fail(errc::invalid_argument,
             fmt::format("dual coordinate descent: must satisfy max_epochs >= 1, got {}", options.max_epochs));
    return coordinate_descent(problem, options).run();
}

namespace {

class l1_descent {
public:
    l1_descent(const compressed_columns& x, std::span<const double> y, std::span<const double> C,
               const coordinate_descent_options& options)
        : x_(x),
          y_(y),
          C_(C),
          o_(options),
          w_(static_cast<std::size_t>(x.cols()), 0.0),
          b_(y.size(), 1.0),
          random_(options.seed) {
        for (index j = 0; j < x.cols(); ++j) {
            double sum = 0;
            for (index k = x.start[j]; k < x.start[j + 1]; ++k) sum += C[x.row[k]] * x.value[k] * x.value[k];
            max_curvature_.push_back(2 * sum);
        }
    }

    descent_result run() {
        const auto started = std::chrono::steady_clock::now();
        const auto clock = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        };
        const auto n = static_cast<double>(y_.size());
        const auto positive = static_cast<double>(std::count(y_.begin(), y_.end(), 1.0));
        const double enough = o_.tol * std::max(1.0, std::min(positive, n - positive)) / n;
        std::vector<index> order(w_.size());
        std::iota(order.begin(), order.end(), index{0});
        const index all = x_.cols();
        index active = all;
        double first = 0, before = infinity;
        for (out_.epochs = 1;; ++out_.epochs) {
            double sum = 0, most = 0;
            for (index s = 0; s < active; ++s) std::swap(order[s], order[s + random_.below(active - s)]);
            for (index s = 0; s < active;) {
                const index j = order[s];
                double slope = 0, curvature = 0;
                derivatives(j, slope, curvature);
                if (o_.shrinking && w_[j] == 0 && std::abs(slope) < 1 - before / n) {
                    std::swap(order[s], order[--active]);
                    continue;
                }
                ++s;
                const double violation =
                    w_[j] != 0 ? std::abs(slope + std::copysign(1.0, w_[j])) : std::max(0.0, std::abs(slope) - 1);
                sum += violation;
                most = std::max(most, violation);
                step(j, slope, std::max(curvature, 1e-12));
            }
            out_.steps += active;
            if (out_.epochs == 1) first = sum;
            const bool small = sum <= enough * first;
            out_.status = small && active == all     ? fit_status::converged
                          : clock() > o_.max_seconds ? fit_status::time_limit
                                                     : fit_status::step_limit;
            const double unknown = std::numeric_limits<double>::quiet_NaN();
            if (o_.progress && !o_.progress({out_.epochs, out_.steps, unknown, unknown, clock(), w_, 0}))
                out_.status = fit_status::cancelled;
            if (out_.status != fit_status::step_limit || out_.epochs >= o_.max_epochs) break;
            // An epoch over all coordinates, with b recomputed from w, has to confirm it.
            if (small)
                active = all, before = infinity, recompute_b();
            else
                before = most;
        }
        out_.seconds = clock();
        finish();
        return std::move(out_);
    }

private:
    void derivatives(index j, double& slope, double& curvature) const {
        for (index k = x_.start[j]; k < x_.start[j + 1]; ++k) {
            const index i = x_.row[k];
            if (b_[i] <= 0) continue;
            const double v = 2 * C_[i] * x_.value[k];
            slope -= v * y_[i] * b_[i];
            curvature += v * x_.value[k];
        }
    }

    void step(index j, double slope, double curvature) {
        const double w = w_[j];
        double d = slope + 1 <= curvature * w   ? -(slope + 1) / curvature
                   : slope - 1 >= curvature * w ? -(slope - 1) / curvature
                                                : -w;
        if (std::abs(d) <= 1e-12 * std::abs(w) || d == 0) return;
        double promise = slope * d + std::abs(w + d) - std::abs(w);
        double moved = 0;  // the step that b contains at present
        for (int tries = 0; tries < 40; ++tries, d /= 2, promise /= 2) {
            const double norm = std::abs(w + d) - std::abs(w);
            // move_weight() updates b and returns the change of the loss.
            const bool sure = norm + slope * d + max_curvature_[j] / 2 * d * d <= 0.01 * promise;
            const double change = move_weight(j, d, moved);
            moved = d;
            if (sure || norm + change <= 0.01 * promise) {
                w_[j] = w + d;
                return;
            }
        }
        move_weight(j, 0, moved);
    }

    // Updates b from w[j] + moved to w[j] + d. Returns the increase of the loss over these two points.
    double move_weight(index j, double d, double moved) {
        double change = 0;
        for (index k = x_.start[j]; k < x_.start[j + 1]; ++k) {
            const index i = x_.row[k];
            const double v = y_[i] * x_.value[k], at = b_[i] + moved * v, to = at - d * v;
            const double old = std::max(0.0, at), now = std::max(0.0, to);
            change += C_[i] * (now - old) * (now + old);
            b_[i] = to;
        }
        return change;
    }

    void recompute_b() {
        std::fill(b_.begin(), b_.end(), 1.0);
        for (index j = 0; j < x_.cols(); ++j)
            if (w_[j] != 0)
                for (index k = x_.start[j]; k < x_.start[j + 1]; ++k)
                    b_[x_.row[k]] -= y_[x_.row[k]] * x_.value[k] * w_[j];
    }

    void finish() {
        recompute_b();
        double loss = 0, sum = 0, squares = 0, largest = 0;
        for (std::size_t i = 0; i < b_.size(); ++i) {
            const double xi = std::max(0.0, b_[i]);
            out_.alpha.push_back(2 * C_[i] * xi);
            loss += C_[i] * xi * xi;
            sum += out_.alpha[i];
            squares += C_[i] * xi * xi;  // α²/(4C)
        }
        for (index j = 0; j < x_.cols(); ++j) {
            double z = 0;
            for (index k = x_.start[j]; k < x_.start[j + 1]; ++k)
                z += out_.alpha[x_.row[k]] * y_[x_.row[k]] * x_.value[k];
            largest = std::max(largest, std::abs(z));
        }
        out_.primal = std::accumulate(w_.begin(), w_.end(), loss, [](double to, double v) { return to + std::abs(v); });
        // sΣα - s²Σα²/(4C) is maximal at s = Σα/(2Σα²/(4C)); sα is feasible for s <= 1/largest.
        const double scale = squares > 0 ? std::min(sum / (2 * squares), largest > 0 ? 1 / largest : infinity) : 0;
        out_.dual = scale * sum - scale * scale * squares;
        for (double& each : out_.alpha) each *= scale;
        out_.gap = out_.primal > 0 ? (out_.primal - out_.dual) / out_.primal : 0;
        out_.w = std::move(w_);
    }

    const compressed_columns& x_;
    std::span<const double> y_, C_;
    const coordinate_descent_options& o_;
    std::vector<double> w_, b_, max_curvature_;
    splitmix64 random_;
    descent_result out_;
};

}  // namespace

descent_result solve_l1_coordinate_descent(const compressed_columns& x, std::span<const double> y,
                                           std::span<const double> C, const coordinate_descent_options& options) {
    const char* const owner = "coordinate descent with an l1 penalty";
    check(x.rows, y, C, owner);
    if (options.loss != hinge_power::l2)
        fail(errc::unsupported, fmt::format("{}: needs the squared hinge loss", owner));
    if (!(options.tol > 0))
        fail(errc::invalid_argument, fmt::format("{}: must satisfy tol > 0, got {}", owner, options.tol));
    if (options.max_epochs < 1)
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy max_epochs >= 1, got {}", owner, options.max_epochs));
    return l1_descent(x, y, C, options).run();
}

}  // namespace mercer
