#include "mercer/solvers/linear_svm/coordinate_descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/infinity.h"

namespace mercer {
namespace {

// What a visit to a variable reads, in one place.
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
        descent_clock clock(o_.most_seconds);
        index active = n_;
        double above = infinity, below = -infinity;  // gradients beyond these set a variable at its bound aside
        for (out_.epochs = 1;; ++out_.epochs) {
            double most = -infinity, least = infinity;
            for (index s = 0; s < active; ++s) std::swap(order_[s], order_[s + random_.below(active - s)]);
            bool whole = true;  // all of them were seen
            for (index s = 0, seen = 0; s < active; ++seen) {
                if (seen % 1024 == 1023) {
                    stop_point();
                    if (clock.late()) {
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
                // A row of zeros has no curvature: straight to the bound.
                v.alpha = v.curvature > 0 ? std::clamp(before - G / v.curvature, 0.0, v.upper) : G < 0 ? v.upper : 0;
                p_.x.add(i, (v.alpha - before) * v.y, w_.data());
            }
            out_.steps += active;
            const bool small = whole && most - least <= o_.tol;
            out_.status = small && active == n_ ? fit_status::converged
                          : clock.late()        ? fit_status::time_limit
                                                : fit_status::step_limit;
            if (o_.progress && !tell(clock)) out_.status = fit_status::cancelled;
            if (out_.status != fit_status::step_limit || out_.epochs >= o_.most_epochs) break;
            if (small) {
                // All of them once more before that is believed.
                active = n_;
                above = infinity, below = -infinity;
            } else {
                above = most > 0 ? most : infinity;
                below = least < 0 ? least : -infinity;
            }
        }
        out_.seconds = clock.own();
        finish();
        return std::move(out_);
    }

private:
    bool tell(descent_clock& clock) {
        const double now = clock.own();
        const descent_clock::pause measuring(clock);
        double primal = std::numeric_limits<double>::quiet_NaN(), dual = primal;
        if (o_.measured) measure(primal, dual);
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

    // w without the rounding of all the steps.
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
    plain_random random_;
    descent_result out_;
};

}  // namespace

descent_result solve_dual_coordinate_descent(const hinge_problem& problem, const coordinate_descent_options& options) {
    check(problem, "dual coordinate descent");
    if (!(options.tol > 0))
        fail(errc::invalid_argument, fmt::format("dual coordinate descent: must satisfy tol > 0, got {}", options.tol));
    if (options.most_epochs < 1)
        fail(errc::invalid_argument,
             fmt::format("dual coordinate descent: must satisfy most_epochs >= 1, got {}", options.most_epochs));
    return coordinate_descent(problem, options).run();
}

}  // namespace mercer
