#include "mercer/solvers/newton/rounded_newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/state_number.h"
#include "mercer/dense/dense_algebra.h"

namespace mercer {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

rounded_newton::rounded_newton(const gram<double>& K, std::span<const double> y, std::span<const double> weight,
                               const loss& l, const representer_options& o)
    : K_(K),
      y_(y),
      loss_(l),
      o_(o),
      n_(y.size()),
      w_(weight.begin(), weight.end()),
      alpha_(n_),
      fixed_(n_),
      centre_(n_),
      g_(n_),
      d_(n_),
      r_(n_),
      equations_(K, o.lambda, o.memory_bytes) {
    if (w_.empty()) w_.assign(n_, 1.0);
}

void rounded_newton::recentre() {
    for (std::size_t i = 0; i < n_; ++i) centre_[i] = g_[i] / w_[i];
}

rounded_newton::vec rounded_newton::times(const vec& v) {
    vec out(n_);
    ++products_;
    const auto size = static_cast<index>(n_);
    K_.multiply(matrix_view<const double>(v.data(), size, 1), matrix_view<double>(out.data(), size, 1));
    return out;
}

double rounded_newton::value_at(const vec& fixed, double b, double square) const {
    double sum = 0;
    const rounded_loss l = rounded();
    for (std::size_t i = 0; i < n_; ++i) sum += w_[i] * l(y_[i], fixed[i] + b, centre_[i]).value;
    return sum + 0.5 * o_.lambda * square;
}

double rounded_newton::objective() const { return value_at(fixed_, b_, dot(alpha_, fixed_)); }

void rounded_newton::differentiate() {
    const rounded_loss l = rounded();
    for (std::size_t i = 0; i < n_; ++i) {
        const auto at = l(y_[i], fixed_[i] + b_, centre_[i]);
        g_[i] = w_[i] * at.first;
        d_[i] = w_[i] * std::max(at.second, 0.0);
        if (!std::isfinite(g_[i]) || !std::isfinite(d_[i]))
            fail(errc::data, fmt::format("representer: the {} loss of example {} has no finite derivatives at f = {}",
                                         name(loss_.kind), i, fixed_[i] + b_));
        r_[i] = g_[i] + o_.lambda * alpha_[i];
    }
}

fit_status rounded_newton::minimise(double mu, const std::function<bool(double gap, double value)>& enough) {
    mu_ = mu;
    b_ = offset_for(fixed_, b_);
    double value = objective();
    bool fresh = false;  // Kα has just been multiplied out
    int flat = 0;
    if (!o_.start.empty()) take(o_.start, value, flat);
    for (;; ++rounds_) {
        if (o_.keep && !fresh && rounds_ > 0) o_.keep(state(value, flat));
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
        if (rounds_ >= o_.most_rounds) return fit_status::step_limit;
        if (!may_go_on(value)) return fit_status::cancelled;
        const bool moved = step(value);
        if (!moved && (fresh || ++flat > 1)) return fit_status::stalled;
        fresh = !moved;
        if (!moved) refresh(value);
    }
}

bool rounded_newton::may_go_on(double value) {
    if (!stopped_ && o_.progress) stopped_ = !o_.progress(rounds_, value, std::abs(gap_));
    return !stopped_;
}

std::vector<double> rounded_newton::state(double value, int flat) const {
    std::vector<double> out{static_cast<double>(rounds_), static_cast<double>(products_), value,
                            static_cast<double>(flat), b_};
    out.insert(out.end(), alpha_.begin(), alpha_.end());
    out.insert(out.end(), fixed_.begin(), fixed_.end());
    return out;
}

void rounded_newton::take(const std::vector<double>& from, double& value, int& flat) {
    if (from.size() != 5 + 2 * n_) fail(errc::invalid_argument, "a state of another problem");
    rounds_ = static_cast<int>(whole_in_state(from[0], 0, 1 << 30)), products_ = count_in_state(from[1]);
    value = from[2], flat = static_cast<int>(whole_in_state(from[3], 0, 2)), b_ = from[4];
    std::copy_n(from.data() + 5, n_, alpha_.data());
    std::copy_n(from.data() + 5 + n_, n_, fixed_.data());
}

double rounded_newton::rounding() const {
    matrix<double> r(static_cast<index>(n_), 1);
    std::copy_n(r_.data(), n_, r.data());
    return equations_.rounding(r) / (2 * o_.lambda);
}

void rounded_newton::refresh(double& value) {
    fixed_ = times(alpha_);
    b_ = offset_for(fixed_, b_);
    value = objective();
}

bool rounded_newton::step(double& value) {
    const auto [direction, along] = solve_system();
    const double slope = dot(r_, along);  // dP along the direction; b is the best one, so it does not enter
    if (!(slope < 0)) return false;
    const double square = dot(alpha_, fixed_), mixed = dot(direction, fixed_), own = dot(direction, along);
    vec trial(n_);
    double t = 1;
    for (int halvings = 0; halvings < 60; ++halvings, t /= 2) {
        for (std::size_t i = 0; i < n_; ++i) trial[i] = fixed_[i] + t * along[i];
        const double b = offset_for(trial, b_);
        const double next = value_at(trial, b, square + 2 * t * mixed + t * t * own);
        if (next <= value + 1e-4 * t * slope && next < value) {
            for (std::size_t i = 0; i < n_; ++i) alpha_[i] += t * direction[i];
            fixed_ = std::move(trial);
            b_ = b;
            value = next;
            return true;
        }
    }
    // Where the fall is below the rounding of P, the full step is still right if it makes the gap smaller.
    return polish(direction, along, value);
}

bool rounded_newton::polish(const vec& direction, const vec& along, double& value) {
    const vec alpha = alpha_, fixed = fixed_;
    const double b = b_, gap = gap_, before = value;
    for (std::size_t i = 0; i < n_; ++i) alpha_[i] += direction[i], fixed_[i] += along[i];
    b_ = offset_for(fixed_, b_);
    value = objective();
    differentiate();
    const double now = dot(r_, times(r_)) / (2 * o_.lambda);
    if (std::abs(now) < 0.5 * std::abs(gap) && value <= before + 1e-12 * std::abs(before)) return true;
    alpha_ = alpha, fixed_ = fixed, b_ = b, value = before;
    differentiate();
    return false;
}

std::pair<rounded_newton::vec, rounded_newton::vec> rounded_newton::solve_system() {
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

bool rounded_newton::by_cholesky(const std::vector<index>& active, vec& direction) {
    const index m = static_cast<index>(active.size());
    const auto example = [&](index a) { return static_cast<std::size_t>(active[static_cast<std::size_t>(a)]); };
    matrix<double> a(m, m), z(m, o_.intercept ? 2 : 1);
    K_.square(std::span<const index>(active), a.view());
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

std::pair<rounded_newton::vec, rounded_newton::vec> rounded_newton::by_conjugate_gradients() {
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
    // What the best Δb takes out: the direction of D^½1.
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
                         multiply, [&] { return may_go_on(value); });
    const auto list = [&](const matrix<double>& column) { return vec(column.data(), column.data() + n); };
    return {list(found.x), list(found.Kx)};
}

}  // namespace mercer
