
#include "mercer/solvers/newton/solve_representer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/dense/cholesky.h"
#include "mercer/solvers/newton/conjugate_gradients.h"

namespace mercer {
namespace {

using vec = std::vector<double>;

double dot(const vec& a, const vec& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// Returns the b that minimises Σwᵢℓ(yᵢ, fᵢ + b). Throws if the sum decreases without bound.
double best_offset(const smoothed_loss& l, std::span<const double> y, std::span<const double> weight,
                   std::span<const double> f, std::span<const double> centre, double start) {
    struct slopes {
        double first, second;
    };
    const auto at = [&](double b) {
        slopes sum{0, 0};
        for (std::size_t i = 0; i < y.size(); ++i) {
            const auto each = l(y[i], f[i] + b, centre[i]);
            sum.first += weight[i] * each.first, sum.second += weight[i] * each.second;
        }
        return sum;
    };
    // Finds a bracket [low, high] with slopes of opposite signs, then runs Newton's method, with bisection where it
    // leaves the bracket.
    double b = start, low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    double width = 1;
    for (int step = 0; step < 400; ++step) {
        const slopes s = at(b);
        if (s.first == 0) return b;
        if (std::isnan(s.first))
            // infinities of both signs: a trial point far away, which the line search will reject
            return start;
        (s.first > 0 ? high : low) = b;
        if (!std::isfinite(low) || !std::isfinite(high)) {
            if (width > 1e300)
                fail(errc::infeasible,
                     "representer: the loss decreases without bound as the offset grows, so no offset is optimal (are "
                     "all targets equal?)");
            b += s.first > 0 ? -width : width;
            width *= 2;
            continue;
        }
        if (high - low <= 4e-16 * std::max(std::abs(low), std::abs(high))) break;
        const double guess = s.second > 0 && std::isfinite(s.first) ? b - s.first / s.second : low;
        const double next = guess > low && guess < high && step % 3 != 2 ? guess : low + 0.5 * (high - low);
        if (next == b || next <= low || next >= high) break;
        b = next;
    }
    return b;
}

// Newton's method on a representer problem with a smooth or a smoothed loss (see the header): its current point, and
// steps from there.

class smoothed_newton {
public:
    smoothed_newton(const gram<double>& K, std::span<const double> y, std::span<const double> weight, const loss& l,
                    const representer_options& o);

    // Takes steps on the loss smoothed by μ until enough(gap, P) returns true. gap() returns the gap reached.
    fit_status minimise(double mu, const std::function<bool(double gap, double value)>& enough);

    // P of the smoothed problem.
    double objective() const;
    // The gap where it was last computed. It also bounds the current point, since P has not risen.
    double gap() const { return gap_; }

    vec times(const vec& v);  // Kv
    const vec& weight() const { return w_; }
    const vec& alpha() const { return alpha_; }
    const vec& K_alpha() const { return K_alpha_; }  // Kα
    const vec& loss_gradient() const { return g_; }  // wℓ'
    const vec& centre() const { return centre_; }    // of the smoothed loss
    double offset() const { return b_; }
    int rounds() const { return rounds_; }
    std::int64_t products() const { return products_; }

    // Makes the dual variables u = g/w the next centre.
    void recentre();

private:
    smoothed_loss smoothed() const { return {loss_, mu_}; }
    // P of the smoothed problem at Kα = K_alpha, with αᵀKα = square.
    double value_at(const vec& K_alpha, double b, double square) const;
    double offset_for(const vec& K_alpha, double start) const {
        return o_.intercept ? best_offset(smoothed(), y_, w_, K_alpha, centre_, start) : 0.0;
    }
    void differentiate();
    void refresh(double& value);
    // Writes and reads the state for resuming: the point, P, and the number of steps without progress (`flat`).
    std::vector<double> current_state(double value, int flat) const;
    void restore_state(const std::vector<double>& state, double& value, int& flat);
    bool should_continue(double value);
    double rounding() const;  // rounding error of the gap

    // Takes one Newton step with a line search. Returns false if P does not fall any further.
    bool step(double& value);
    bool polish(const vec& direction, const vec& along, double& value);

    // Return Δα and KΔα.
    std::pair<vec, vec> solve_system();
    // On examples without curvature Δα = -r/λ. On the others Δα = D^½z with (λI + D^½KD^½)z = -D^(-½)r - D^½q - D^½1Δb,
    // where q is the contribution of the first ones to KΔα. Returns false if that matrix is not positive definite.
    bool by_cholesky(const std::vector<index>& active, vec& direction);
    // Solves (λI + D'K)Δα = -r, where D' = D - D11ᵀD/1ᵀD1 is D after the best Δb has been eliminated. The iteration
    // ends at min(0.1, 0.1√(relative gap)) of the residual, which makes the convergence superlinear.
    std::pair<vec, vec> by_conjugate_gradients();

    const gram<double>& K_;
    std::span<const double> y_;
    const loss& loss_;
    const representer_options& o_;
    std::size_t n_;
    vec w_, alpha_;
    vec K_alpha_;  // Kα
    vec centre_, g_, d_, r_, Kr_;
    newton_equations equations_;
    double b_ = 0, mu_ = 0;
    double gap_ = std::numeric_limits<double>::infinity();
    int rounds_ = 0;
    std::int64_t products_ = 0;
    bool stopped_ = false;
};

smoothed_newton::smoothed_newton(const gram<double>& K, std::span<const double> y, std::span<const double> weight,
                                 const loss& l, const representer_options& o)
    : K_(K),
      y_(y),
      loss_(l),
      o_(o),
      n_(y.size()),
      w_(weight.begin(), weight.end()),
      alpha_(n_),
      K_alpha_(n_),
      centre_(n_),
      g_(n_),
      d_(n_),
      r_(n_),
      equations_(K, o.lambda, o.memory_bytes) {
    if (w_.empty()) w_.assign(n_, 1.0);
}

void smoothed_newton::recentre() {
    for (std::size_t i = 0; i < n_; ++i) centre_[i] = g_[i] / w_[i];
}

vec smoothed_newton::times(const vec& v) {
    vec out(n_);
    ++products_;
    const auto size = static_cast<index>(n_);
    K_.multiply(matrix_view<const double>(v.data(), size, 1), matrix_view<double>(out.data(), size, 1));
    return out;
}

double smoothed_newton::value_at(const vec& K_alpha, double b, double square) const {
    double sum = 0;
    const smoothed_loss l = smoothed();
    for (std::size_t i = 0; i < n_; ++i) sum += w_[i] * l(y_[i], K_alpha[i] + b, centre_[i]).value;
    return sum + 0.5 * o_.lambda * square;
}

double smoothed_newton::objective() const { return value_at(K_alpha_, b_, dot(alpha_, K_alpha_)); }

void smoothed_newton::differentiate() {
    const smoothed_loss l = smoothed();
    for (std::size_t i = 0; i < n_; ++i) {
        const auto at = l(y_[i], K_alpha_[i] + b_, centre_[i]);
        g_[i] = w_[i] * at.first;
        d_[i] = w_[i] * std::max(at.second, 0.0);
        if (!std::isfinite(g_[i]) || !std::isfinite(d_[i]))
            fail(errc::data, fmt::format("representer: the {} loss of example {} has no finite derivatives at f = {}",
                                         name(loss_.kind), i, K_alpha_[i] + b_));
        r_[i] = g_[i] + o_.lambda * alpha_[i];
    }
}

fit_status smoothed_newton::minimise(double mu, const std::function<bool(double gap, double value)>& enough) {
    mu_ = mu;
    b_ = offset_for(K_alpha_, b_);
    double value = objective();
    bool fresh = false;  // Kα has just been recomputed
    int flat = 0;
    if (!o_.start.empty()) restore_state(o_.start, value, flat);
    for (;; ++rounds_) {
        if (o_.keep && !fresh && rounds_ > 0) o_.keep(current_state(value, flat));
        differentiate();
        Kr_ = times(r_);
        gap_ = dot(r_, Kr_) / (2 * o_.lambda);
        if (enough(std::abs(gap_), value)) {
            if (fresh) return gap_ >= -rounding() ? fit_status::converged : fit_status::stalled;
            refresh(value);
            fresh = true;
            --rounds_;
            continue;
        }
        if (rounds_ >= o_.max_rounds) return fit_status::step_limit;
        if (!should_continue(value)) return fit_status::cancelled;
        const bool moved = step(value);
        if (!moved && (fresh || ++flat > 1)) return fit_status::stalled;
        fresh = !moved;
        if (!moved) refresh(value);
    }
}

bool smoothed_newton::should_continue(double value) {
    if (!stopped_ && o_.progress) stopped_ = !o_.progress(rounds_, value, std::abs(gap_));
    return !stopped_;
}

std::vector<double> smoothed_newton::current_state(double value, int flat) const {
    std::vector<double> out{static_cast<double>(rounds_), static_cast<double>(products_), value,
                            static_cast<double>(flat), b_};
    out.insert(out.end(), alpha_.begin(), alpha_.end());
    out.insert(out.end(), K_alpha_.begin(), K_alpha_.end());
    return out;
}

void smoothed_newton::restore_state(const std::vector<double>& from, double& value, int& flat) {
    if (from.size() != 5 + 2 * n_) fail(errc::invalid_argument, "the checkpoint belongs to another problem");
    rounds_ = static_cast<int>(state_integer(from[0], 0, 1 << 30)), products_ = state_count(from[1]);
    value = from[2], flat = static_cast<int>(state_integer(from[3], 0, 2)), b_ = from[4];
    std::copy_n(from.data() + 5, n_, alpha_.data());
    std::copy_n(from.data() + 5 + n_, n_, K_alpha_.data());
}

double smoothed_newton::rounding() const {
    matrix<double> r(static_cast<index>(n_), 1);
    std::copy_n(r_.data(), n_, r.data());
    return equations_.rounding_error(r) / (2 * o_.lambda);
}

void smoothed_newton::refresh(double& value) {
    K_alpha_ = times(alpha_);
    b_ = offset_for(K_alpha_, b_);
    value = objective();
}

bool smoothed_newton::step(double& value) {
    const auto [direction, along] = solve_system();
    // derivative of P along the direction; b is optimal, so it does not contribute
    const double slope = dot(r_, along);
    if (!(slope < 0)) return false;
    const double square = dot(alpha_, K_alpha_), mixed = dot(direction, K_alpha_), own = dot(direction, along);
    vec trial(n_);
    double t = 1;
    for (int halvings = 0; halvings < 60; ++halvings, t /= 2) {
        for (std::size_t i = 0; i < n_; ++i) trial[i] = K_alpha_[i] + t * along[i];
        const double b = offset_for(trial, b_);
        const double next = value_at(trial, b, square + 2 * t * mixed + t * t * own);
        if (next <= value + 1e-4 * t * slope && next < value) {
            for (std::size_t i = 0; i < n_; ++i) alpha_[i] += t * direction[i];
            K_alpha_ = std::move(trial);
            b_ = b;
            value = next;
            return true;
        }
    }
    // If the decrease is below the rounding error of P, the full step is still right if it reduces the gap.
    return polish(direction, along, value);
}

bool smoothed_newton::polish(const vec& direction, const vec& along, double& value) {
    const vec alpha = alpha_, K_alpha = K_alpha_;
    const double b = b_, gap = gap_, before = value;
    for (std::size_t i = 0; i < n_; ++i) alpha_[i] += direction[i], K_alpha_[i] += along[i];
    b_ = offset_for(K_alpha_, b_);
    value = objective();
    differentiate();
    const double now = dot(r_, times(r_)) / (2 * o_.lambda);
    if (std::abs(now) < 0.5 * std::abs(gap) && value <= before + 1e-12 * std::abs(before)) return true;
    alpha_ = alpha, K_alpha_ = K_alpha, b_ = b, value = before;
    differentiate();
    return false;
}

std::pair<vec, vec> smoothed_newton::solve_system() {
    std::vector<index> active;
    const double largest = *std::max_element(d_.begin(), d_.end());
    for (std::size_t i = 0; i < n_; ++i)
        if (d_[i] > 1e-14 * largest) active.push_back(static_cast<index>(i));
    const double m = static_cast<double>(active.size());
    const bool small = active.size() <= 3000 && 8 * m * m <= static_cast<double>(o_.memory_bytes);
    vec direction(n_);
    const bool direct = o_.system == newton_system::cholesky || (o_.system == newton_system::automatic && small);
    if (!direct || !by_cholesky(active, direction)) return by_conjugate_gradients();
    vec along = times(direction);
    return {std::move(direction), std::move(along)};
}

bool smoothed_newton::by_cholesky(const std::vector<index>& active, vec& direction) {
    const index m = static_cast<index>(active.size());
    const auto example = [&](index a) { return static_cast<std::size_t>(active[static_cast<std::size_t>(a)]); };
    matrix<double> a(m, m), z(m, o_.intercept ? 2 : 1);
    K_.symmetric_block(std::span<const index>(active), a.view());
    for (std::size_t i = 0; i < n_; ++i) direction[i] = -r_[i] / o_.lambda;
    for (const index i : active) direction[static_cast<std::size_t>(i)] = 0;
    const vec q = active.size() < n_ ? times(direction) : vec(n_);
    vec root(active.size());
    for (index i = 0; i < m; ++i) root[static_cast<std::size_t>(i)] = std::sqrt(d_[example(i)]);
    for (index i = 0; i < m; ++i) {
        const double own = root[static_cast<std::size_t>(i)];
        for (index j = i; j < m; ++j) a(i, j) *= own * root[static_cast<std::size_t>(j)];
        a(i, i) += o_.lambda;
        z(i, 0) = -r_[example(i)] / own - own * q[example(i)];
        if (o_.intercept) z(i, 1) = own;
    }
    if (cholesky_in_place(a.view()) >= 0) return false;
    cholesky_solve(a.view(), z.view());
    double shift = 0;
    if (o_.intercept) {
        // Δb from 1ᵀ(α + Δα) = 0
        double sum = 0, across = 0;
        for (std::size_t i = 0; i < n_; ++i) sum += alpha_[i] + direction[i];
        for (index i = 0; i < m; ++i)
            sum += root[static_cast<std::size_t>(i)] * z(i, 0), across += root[static_cast<std::size_t>(i)] * z(i, 1);
        if (across > 0) shift = sum / across;
    }
    for (index i = 0; i < m; ++i)
        direction[example(i)] = root[static_cast<std::size_t>(i)] * (z(i, 0) - (o_.intercept ? shift * z(i, 1) : 0.0));
    return true;
}

std::pair<vec, vec> smoothed_newton::by_conjugate_gradients() {
    const double relative = std::abs(gap_) / std::max(std::abs(objective()), std::numeric_limits<double>::min());
    const double forcing = std::clamp(0.1 * std::sqrt(relative), 1e-10, 0.1);
    const double largest = *std::max_element(d_.begin(), d_.end());
    const auto n = static_cast<index>(n_);
    matrix<double> root(n, 1), r(n, 1), Kr(n, 1);
    double total = 0;
    for (index i = 0; i < n; ++i) {
        const double d = d_[static_cast<std::size_t>(i)];
        if (d > 1e-14 * largest) root(i, 0) = std::sqrt(d), total += d;
        r(i, 0) = r_[static_cast<std::size_t>(i)], Kr(i, 0) = Kr_[static_cast<std::size_t>(i)];
    }
    // Projects out the direction D^½1, which the best Δb compensates.
    const auto without_offset = [&](matrix<double>& u) {
        if (!o_.intercept || !(total > 0)) return;
        double along = 0;
        for (index i = 0; i < n; ++i) along += root(i, 0) * u(i, 0);
        for (index i = 0; i < n; ++i) u(i, 0) -= along / total * root(i, 0);
    };
    const auto multiply = [&](const matrix<double>& v) {
        matrix<double> out(n, 1);
        ++products_;
        K_.multiply(v.view(), out.view());
        return out;
    };
    const double value = o_.progress ? objective() : 0;
    const newton_step found =
        equations_.solve(root, root, without_offset, r, Kr, forcing * forcing * 2 * o_.lambda * std::abs(gap_),
                         multiply, [&] { return should_continue(value); });
    const auto list = [&](const matrix<double>& column) { return vec(column.data(), column.data() + n); };
    return {list(found.x), list(found.Kx)};
}

// Solves the problem: directly if the loss is smooth, else in rounds over smoothed losses.
class representer {
public:
    representer(const gram<double>& K, std::span<const double> y, std::span<const double> weight, const loss& l,
                const representer_options& o)
        : K_(K), y_(y), loss_(l), o_(o), n_(y.size()), newton_(K, y, weight, l, o) {}

    representer_result run() {
        representer_result best = loss_.is_smooth() ? solve_smooth() : solve_in_rounds();
        best.rounds = newton_.rounds();
        best.products = newton_.products();
        return best;
    }

private:
    representer_result solve_smooth() {
        fit_status status = fit_status::cancelled;
        completes_unless_cancelled([&] {
            status = newton_.minimise(0, [&](double gap, double value) { return gap <= o_.tol * std::abs(value); });
        });
        representer_result out;
        out.alpha = newton_.alpha();
        out.offset = newton_.offset();
        out.f = newton_.K_alpha();
        for (double& each : out.f) each += out.offset;
        out.objective = newton_.objective();
        out.gap = std::abs(newton_.gap());
        out.status = status;
        return out;
    }

    // Returns P of the original problem at α with its best b, and the gap to the lower bound `lower`.
    representer_result evaluate_candidate(vec alpha, vec f, double lower) const {
        representer_result out;
        out.objective = 0.5 * o_.lambda * dot(alpha, f);
        out.offset = o_.intercept ? best_offset({loss_, 0}, y_, w_, f, newton_.centre(), newton_.offset()) : 0.0;
        for (std::size_t i = 0; i < n_; ++i) f[i] += out.offset, out.objective += w_[i] * loss_.value(y_[i], f[i]);
        out.gap = std::max(out.objective - lower, 0.0);
        out.alpha = std::move(alpha);
        out.f = std::move(f);
        return out;
    }

    // Returns the best known point of the original problem with its gap. u gives the lower bound. There are three
    // candidates for the upper bound: a, which is 0 where u is 0; α with the same zeros, since a = -wu/λ is inaccurate
    // if λ is very small; and α itself, if its gap is less than half of theirs.
    representer_result best_candidate() {
        const vec& g = newton_.loss_gradient();
        vec dual(n_), sparse = newton_.alpha();
        double unbalanced = 0, conjugates = 0, size = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            dual[i] = -g[i] / o_.lambda;
            conjugates += w_[i] * loss_.conjugate(y_[i], g[i] / w_[i]);
            unbalanced += g[i];
            if (g[i] == 0) sparse[i] = 0;
        }
        vec Kdual = newton_.times(dual);
        const double square = dot(dual, Kdual);
        for (std::size_t i = 0; i < n_; ++i) size += std::abs(dual[i] * Kdual[i]);
        indefinite_ = square < -1e-12 * size;
        // Σg = 0 holds up to rounding only; the possible effect is subtracted from the bound.
        const double lower =
            -0.5 * o_.lambda * square - conjugates - (o_.intercept ? std::abs(unbalanced * newton_.offset()) : 0.0);
        representer_result best = evaluate_candidate(std::move(dual), std::move(Kdual), lower);
        const auto good = [&] { return best.gap <= o_.tol * std::abs(best.objective); };
        if (good()) return best;
        vec f = newton_.times(sparse);
        if (representer_result other = evaluate_candidate(std::move(sparse), std::move(f), lower); other.gap < best.gap)
            best = std::move(other);
        if (good()) return best;
        if (representer_result other = evaluate_candidate(newton_.alpha(), newton_.K_alpha(), lower);
            other.gap < 0.5 * best.gap)
            best = std::move(other);
        return best;
    }

    representer_result solve_in_rounds() {
        // Newton's matrix is K + (λμ/w)I on the examples at a corner, so μ is chosen by the ratio of λμ/w to k(x, x).
        // If μ is too large, there are many rounds. If it is too small, u is inaccurate, since its error is the
        // rounding error of f divided by μ.
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
            completes_unless_cancelled([&] {
                inner = newton_.minimise(
                    mu, [&](double gap, double value) { return gap <= std::min(1e-3 * std::abs(value), aim); });
            });
            // cancellation is ignored for two products, without which there is no result
            const cancellation_override nobody(nullptr);
            representer_result now = best_candidate();
            const double progress = now.gap / best.gap;
            if (now.gap < best.gap) best = std::move(now);
            best.status =
                inner == fit_status::step_limit || inner == fit_status::cancelled ? inner : fit_status::stalled;
            // If aᵀKa < 0, the "gap" is meaningless.
            if (best.gap <= o_.tol * std::abs(best.objective) && !indefinite_) best.status = fit_status::converged;
            idle = progress < 0.9 ? 0 : idle + 1;
            if (best.status != fit_status::stalled || idle > 8) break;
            if (!(progress < 0.3)) mu = std::max(0.2 * mu, least);
            newton_.recentre();
        }
        return best;
    }

    const gram<double>& K_;
    std::span<const double> y_;
    const loss& loss_;
    const representer_options& o_;
    std::size_t n_;
    smoothed_newton newton_;
    const vec& w_ = newton_.weight();
    bool indefinite_ = false;
};

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
    need(o.max_rounds >= 1, "max_rounds >= 1", o.max_rounds);
    if (l.kind == loss_kind::huber)
        need(l.parameter > 0 && std::isfinite(l.parameter), "0 < delta < infinity", l.parameter);
    if (l.kind == loss_kind::epsilon_insensitive)
        need(l.parameter >= 0 && std::isfinite(l.parameter), "0 <= epsilon < infinity", l.parameter);
    if (l.kind == loss_kind::quantile) need(l.parameter > 0 && l.parameter < 1, "0 < tau < 1", l.parameter);
    if (l.kind == loss_kind::user && (!l.functions.value || !l.functions.first || !l.functions.second))
        fail(errc::invalid_argument,
             "representer: a user-defined loss needs a value, a first derivative and a second derivative");
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

}  // namespace

representer_result solve_representer(const gram<double>& K, std::span<const double> y, std::span<const double> weight,
                                     const loss& l, const representer_options& options) {
    check(K, y, weight, l, options);
    return representer(K, y, weight, l, options).run();
}

}  // namespace mercer
