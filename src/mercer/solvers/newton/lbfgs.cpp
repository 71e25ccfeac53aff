#include "mercer/solvers/newton/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "mercer/base/error.h"

namespace mercer {
namespace {

using numbers = std::vector<double>;

double inner_product(const numbers& a, const numbers& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double max_abs(const numbers& a) {
    double out = 0;
    for (const double each : a) out = std::max(out, std::abs(each));
    return out;
}

struct pair_of_steps {
    numbers s, y;  // a step s and the change y of the gradient
    double rho;    // 1/sᵀy
};

// Returns -H·g by the two-loop recursion.
numbers lbfgs_direction(const std::deque<pair_of_steps>& past, const numbers& g) {
    numbers d = g, a(past.size());
    for (std::size_t k = past.size(); k-- > 0;) {
        a[k] = past[k].rho * inner_product(past[k].s, d);
        for (std::size_t i = 0; i < d.size(); ++i) d[i] -= a[k] * past[k].y[i];
    }
    const double scale = past.empty() ? 1 / std::max(max_abs(g), 1e-300)
                                      : 1 / (past.back().rho * inner_product(past.back().y, past.back().y));
    for (double& each : d) each *= scale;
    for (std::size_t k = 0; k < past.size(); ++k) {
        const double b = past[k].rho * inner_product(past[k].y, d);
        for (std::size_t i = 0; i < d.size(); ++i) d[i] += (a[k] - b) * past[k].s[i];
    }
    for (double& each : d) each = -each;
    return d;
}

}  // namespace

lbfgs_result minimise(const smooth_function& f, std::vector<double> start, const lbfgs_options& options) {
    constexpr double armijo = 1e-4;
    constexpr int max_halvings = 40;
    lbfgs_result at;
    at.x = std::move(start);
    numbers g(at.x.size()), next(at.x.size()), next_g(at.x.size());
    at.f = f(at.x, g);
    at.evaluations = 1;
    if (!std::isfinite(at.f))
        fail(errc::invalid_argument, fmt::format("minimise: the function must be finite at the start, got {}", at.f));
    std::deque<pair_of_steps> past;
    for (;; ++at.steps) {
        at.gradient = max_abs(g);
        at.status = fit_status::stationary;
        if (at.gradient <= options.tol) return at;
        at.status = fit_status::step_limit;
        if (at.steps >= options.max_iter) return at;
        at.status = fit_status::cancelled;
        if (options.progress && !options.progress(at.steps, at.f)) return at;
        numbers d = lbfgs_direction(past, g);
        double slope = inner_product(g, d);
        if (!(slope < 0)) {  // the estimate of H is useless, so it is dropped
            past.clear();
            d = lbfgs_direction(past, g);
            slope = inner_product(g, d);
        }
        double t = std::min(1.0, options.max_change / std::max(max_abs(d), 1e-300)), value = 0;
        int halvings = 0;
        for (; halvings < max_halvings; ++halvings, t /= 2) {
            for (std::size_t i = 0; i < d.size(); ++i) next[i] = at.x[i] + t * d[i];
            value = f(next, next_g);
            ++at.evaluations;
            if (std::isfinite(value) && value <= at.f + armijo * t * slope) break;
        }
        at.status = fit_status::stalled;
        if (halvings == max_halvings && past.empty()) return at;
        if (halvings == max_halvings) {
            past.clear();
            continue;
        }
        pair_of_steps step{numbers(d.size()), numbers(d.size()), 0};
        for (std::size_t i = 0; i < d.size(); ++i) step.s[i] = next[i] - at.x[i], step.y[i] = next_g[i] - g[i];
        const double curvature = inner_product(step.s, step.y);
        if (curvature > 1e-12 * inner_product(step.y, step.y)) {
            step.rho = 1 / curvature;
            past.push_back(std::move(step));
            if (static_cast<index>(past.size()) > options.memory) past.pop_front();
        }
        at.x = next, at.f = value, g = next_g;
    }
}

}  // namespace mercer
