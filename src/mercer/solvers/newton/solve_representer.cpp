#include "mercer/solvers/newton/solve_representer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/solvers/newton/rounded_newton.h"

namespace mercer {
namespace {

using vec = std::vector<double>;

double dot(const vec& a, const vec& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void check(const gram<double>& K, std::span<const double> y, std::span<const double> weight, const loss& l,
           const representer_options& o) {
    require_square(K, "representer");
    const auto n = static_cast<std::size_t>(K.rows());
    const auto need = [](bool ok, const char* condition, double value) {
        if (!ok) fail(errc::invalid_argument, fmt::format("representer: must satisfy {}, got {}", condition, value));
    };
    if (n == 0) fail(errc::data, "representer: there are no examples");
    need(o.lambda > 0 && std::isfinite(o.lambda), "0 < lambda < infinity", o.lambda);
    need(o.tol > 0, "tol > 0", o.tol);
    need(o.most_rounds >= 1, "most_rounds >= 1", o.most_rounds);
    if (l.kind == loss_kind::huber)
        need(l.parameter > 0 && std::isfinite(l.parameter), "0 < delta < infinity", l.parameter);
    if (l.kind == loss_kind::epsilon_insensitive)
        need(l.parameter >= 0 && std::isfinite(l.parameter), "0 <= epsilon < infinity", l.parameter);
    if (l.kind == loss_kind::quantile) need(l.parameter > 0 && l.parameter < 1, "0 < tau < 1", l.parameter);
    if (l.kind == loss_kind::user && (!l.own.value || !l.own.first || !l.own.second))
        fail(errc::invalid_argument, "representer: a user's loss needs a value and a first and second derivative");
    if (y.size() != n)
        fail(errc::invalid_argument, fmt::format("representer: {} examples but {} targets", n, y.size()));
    if (!weight.empty() && weight.size() != n)
        fail(errc::invalid_argument, fmt::format("representer: {} examples but {} weights", n, weight.size()));
    for (std::size_t i = 0; i < n; ++i) {
        if (!std::isfinite(y[i]))
            fail(errc::data, fmt::format("representer: target {} is {}, not a finite number", i, y[i]));
        if (l.has_labels() && y[i] != 1 && y[i] != -1)
            fail(errc::data, fmt::format("representer: targets of the {} loss must be 1 or -1, got {} for example {}",
                                         name(l.kind), y[i], i));
        if (l.kind == loss_kind::poisson && y[i] < 0)
            fail(errc::data,
                 fmt::format("representer: targets of the poisson loss must be >= 0, got {} for example {}", y[i], i));
        if (!weight.empty() && (!(weight[i] > 0) || !std::isfinite(weight[i])))
            fail(errc::data,
                 fmt::format("representer: weight {} must satisfy 0 < weight < infinity, got {}", i, weight[i]));
    }
}

// From Newton's method on rounded losses to the problem itself.
class representer {
public:
    representer(const gram<double>& K, std::span<const double> y, std::span<const double> weight, const loss& l,
                const representer_options& o)
        : K_(K), y_(y), loss_(l), o_(o), n_(y.size()), at_(K, y, weight, l, o) {}

    representer_result run() {
        representer_result best = loss_.is_smooth() ? at_once() : round_by_round();
        best.rounds = at_.rounds();
        best.products = at_.products();
        return best;
    }

private:
    representer_result at_once() {
        fit_status status = fit_status::cancelled;
        unless_stopped([&] {
            status = at_.minimise(0, [&](double gap, double value) { return gap <= o_.tol * std::abs(value); });
        });
        representer_result out;
        out.alpha = at_.alpha();
        out.offset = at_.offset();
        out.f = at_.fixed();
        for (double& each : out.f) each += out.offset;
        out.objective = at_.objective();
        out.gap = std::abs(at_.gap());
        out.status = status;
        return out;
    }

    // P of the problem itself at α, with its best b; the gap to `lower`.
    representer_result candidate(vec alpha, vec f, double lower) const {
        representer_result out;
        out.objective = 0.5 * o_.lambda * dot(alpha, f);
        out.offset = o_.intercept ? best_offset({loss_, 0}, y_, w_, f, at_.centre(), at_.offset()) : 0.0;
        for (std::size_t i = 0; i < n_; ++i) f[i] += out.offset, out.objective += w_[i] * loss_.value(y_[i], f[i]);
        out.gap = std::max(out.objective - lower, 0.0);
        out.alpha = std::move(alpha);
        out.f = std::move(f);
        return out;
    }

    // What was reached of the problem itself. u gives the lower bound. There are two points for the upper one: a, which
    // is 0 where u is, and where λ is so small that a = -wu/λ is no longer exact α, with the same zeros if it loses
    // nothing by them.
    representer_result measured() {
        const vec& g = at_.slopes();
        vec dual(n_), sparse = at_.alpha();
        double unbalanced = 0, conjugates = 0, size = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            dual[i] = -g[i] / o_.lambda;
            conjugates += w_[i] * loss_.conjugate(y_[i], g[i] / w_[i]);
            unbalanced += g[i];
            if (g[i] == 0) sparse[i] = 0;
        }
        vec Kdual = at_.times(dual);
        const double square = dot(dual, Kdual);
        for (std::size_t i = 0; i < n_; ++i) size += std::abs(dual[i] * Kdual[i]);
        indefinite_ = square < -1e-12 * size;
        // Σg = 0 holds up to rounding; what that may be worth is taken off.
        const double lower =
            -0.5 * o_.lambda * square - conjugates - (o_.intercept ? std::abs(unbalanced * at_.offset()) : 0.0);
        representer_result best = candidate(std::move(dual), std::move(Kdual), lower);
        const auto good = [&] { return best.gap <= o_.tol * std::abs(best.objective); };
        if (good()) return best;
        vec f = at_.times(sparse);
        if (representer_result other = candidate(std::move(sparse), std::move(f), lower); other.gap < best.gap)
            best = std::move(other);
        if (good()) return best;
        if (representer_result other = candidate(at_.alpha(), at_.fixed(), lower); other.gap < 0.5 * best.gap)
            best = std::move(other);
        return best;
    }

    representer_result round_by_round() {
        // Newton's matrix is K + (λμ/w)I on the examples at a corner: μ is measured by what λμ/w is beside k(x, x). Too
        // large and the rounds are many, too small and u, which is known to the rounding of f over μ, is not exact
        // enough.
        vec self(n_);
        K_.diagonal(self);
        double top = 0;
        for (std::size_t i = 0; i < n_; ++i) top += w_[i] * std::abs(self[i]) / static_cast<double>(n_);
        double mu = top > 0 ? 0.01 * top / o_.lambda : 1.0;
        const double least = 1e-7 * mu;
        representer_result best;
        best.gap = std::numeric_limits<double>::infinity();
        for (int outer = 0, idle = 0; outer < 200; ++outer) {
            const double aim = std::isfinite(best.gap)
                                   ? std::max(0.01 * best.gap, 1e-3 * o_.tol * std::abs(best.objective))
                                   : std::numeric_limits<double>::infinity();
            fit_status inner = fit_status::cancelled;
            unless_stopped([&] {
                inner = at_.minimise(
                    mu, [&](double gap, double value) { return gap <= std::min(1e-3 * std::abs(value), aim); });
            });
            const listening_to nobody(nullptr);  // two products, without which there is nothing to show
            representer_result now = measured();
            const double progress = now.gap / best.gap;
            if (now.gap < best.gap) best = std::move(now);
            best.status =
                inner == fit_status::step_limit || inner == fit_status::cancelled ? inner : fit_status::stalled;
            // A matrix with aᵀKa < 0 makes the "gap" mean nothing.
            if (best.gap <= o_.tol * std::abs(best.objective) && !indefinite_) best.status = fit_status::converged;
            idle = progress < 0.9 ? 0 : idle + 1;
            if (best.status != fit_status::stalled || idle > 8) break;
            if (!(progress < 0.3)) mu = std::max(0.2 * mu, least);
            at_.recentre();
        }
        return best;
    }

    const gram<double>& K_;
    std::span<const double> y_;
    const loss& loss_;
    const representer_options& o_;
    std::size_t n_;
    rounded_newton at_;
    const vec& w_ = at_.weight();
    bool indefinite_ = false;
};

}  // namespace

representer_result solve_representer(const gram<double>& K, std::span<const double> y, std::span<const double> weight,
                                     const loss& l, const representer_options& options) {
    check(K, y, weight, l, options);
    return representer(K, y, weight, l, options).run();
}

}  // namespace mercer
