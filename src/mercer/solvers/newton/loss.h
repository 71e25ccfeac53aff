// Losses ℓ(y, f) of a target y and a value f, convex in f, with the derivatives and conjugates that Newton's method and
// duality need.
//
//     squared               ½(y - f)²
//     logistic              log(1 + e^(-yf))                  y = ±1
//     squared_hinge         max(0, 1 - yf)²                   y = ±1
//     huber                 ½t² for |t| = |f - y| <= δ, else δ|t| - ½δ²           parameter δ > 0
//     poisson               e^f - yf + y log y - y >= 0       y >= 0, f the logarithm of the mean
//     hinge                 max(0, 1 - yf)                    y = ±1
//     epsilon_insensitive   max(0, |y - f| - ε)               parameter ε >= 0
//     quantile              max(τ(y - f), (τ-1)(y - f))       parameter 0 < τ < 1
//     user                  given by its value and its first and second derivative in f
//
// The three losses with corners (hinge, epsilon_insensitive, quantile) have the form
//     ℓ(y, f) = max { u(f - y) - ε|u| : low <= u <= high };
// their conjugate is uy + ε|u| on [low, high].
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace mercer {

enum class loss_kind { squared, logistic, squared_hinge, huber, poisson, hinge, epsilon_insensitive, quantile, user };

inline const char* name(loss_kind kind) noexcept {
    constexpr const char* names[] = {
        "squared", "logistic", "squared_hinge", "huber", "poisson", "hinge", "epsilon_insensitive", "quantile", "user"};
    return names[static_cast<int>(kind)];
}

// A user's loss: its value and its first and second derivative in f.
struct user_loss {
    std::function<double(double y, double f)> value, first, second;
};

// A loss with its parameter: one of the table above.
struct loss {
    loss_kind kind = loss_kind::squared;
    double parameter = 0;      // δ, ε or τ
    user_loss functions = {};  // for loss_kind::user

    static loss squared() { return {}; }
    static loss logistic() { return {loss_kind::logistic}; }
    static loss squared_hinge() { return {loss_kind::squared_hinge}; }
    static loss huber(double delta = 1.35) { return {loss_kind::huber, delta}; }
    static loss poisson() { return {loss_kind::poisson}; }
    static loss hinge() { return {loss_kind::hinge}; }
    static loss epsilon_insensitive(double epsilon = 0.1) { return {loss_kind::epsilon_insensitive, epsilon}; }
    static loss quantile(double tau = 0.5) { return {loss_kind::quantile, tau}; }
    static loss user(std::function<double(double, double)> value, std::function<double(double, double)> first,
                     std::function<double(double, double)> second) {
        return {loss_kind::user, 0, {std::move(value), std::move(first), std::move(second)}};
    }

    bool is_smooth() const {
        return kind != loss_kind::hinge && kind != loss_kind::epsilon_insensitive && kind != loss_kind::quantile;
    }
    bool has_labels() const {
        return kind == loss_kind::logistic || kind == loss_kind::hinge || kind == loss_kind::squared_hinge;
    }

    double value(double y, double f) const;
    double first(double y, double f) const;   // a subgradient at a corner
    double second(double y, double f) const;  // 0 for a loss with corners

    // low, high and ε of a loss with corners (see above), and its conjugate at u.
    double low(double y) const {
        return kind == loss_kind::hinge ? (y > 0 ? -1.0 : 0.0) : kind == loss_kind::quantile ? -parameter : -1.0;
    }
    double high(double y) const {
        return kind == loss_kind::hinge ? (y > 0 ? 0.0 : 1.0) : kind == loss_kind::quantile ? 1 - parameter : 1.0;
    }
    double width() const { return kind == loss_kind::epsilon_insensitive ? parameter : 0.0; }
    double conjugate(double y, double u) const { return u * y + width() * std::abs(u); }
};

inline double loss::value(double y, double f) const {
    const double t = f - y;
    switch (kind) {
        case loss_kind::squared: return 0.5 * t * t;
        case loss_kind::logistic:
            return y * f > 0 ? std::log1p(std::exp(-y * f)) : -y * f + std::log1p(std::exp(y * f));
        case loss_kind::squared_hinge: return y * f < 1 ? (1 - y * f) * (1 - y * f) : 0.0;
        case loss_kind::huber:
            return std::abs(t) <= parameter ? 0.5 * t * t : parameter * (std::abs(t) - 0.5 * parameter);
        case loss_kind::poisson: return std::exp(f) - y * f + (y > 0 ? y * std::log(y) - y : 0.0);
        case loss_kind::hinge: return std::max(0.0, 1 - y * f);
        case loss_kind::epsilon_insensitive: return std::max(0.0, std::abs(t) - parameter);
        case loss_kind::quantile: return std::max(-parameter * t, (1 - parameter) * t);
        case loss_kind::user: return functions.value(y, f);
    }
    return 0;
}

inline double loss::first(double y, double f) const {
    const double t = f - y;
    switch (kind) {
        case loss_kind::squared: return t;
        case loss_kind::logistic:
            return y * f > 0 ? -y * std::exp(-y * f) / (1 + std::exp(-y * f)) : -y / (1 + std::exp(y * f));
        case loss_kind::squared_hinge: return y * f < 1 ? -2 * y * (1 - y * f) : 0.0;
        case loss_kind::huber: return std::clamp(t, -parameter, parameter);
        case loss_kind::poisson: return std::exp(f) - y;
        case loss_kind::hinge: return y * f < 1 ? -y : 0.0;
        case loss_kind::epsilon_insensitive: return t > parameter ? 1.0 : t < -parameter ? -1.0 : 0.0;
        case loss_kind::quantile: return t > 0 ? 1 - parameter : t < 0 ? -parameter : 0.0;
        case loss_kind::user: return functions.first(y, f);
    }
    return 0;
}

inline double loss::second(double y, double f) const {
    switch (kind) {
        case loss_kind::squared: return 1;
        case loss_kind::logistic: {
            const double e = std::exp(-std::abs(f));
            return e / ((1 + e) * (1 + e));
        }
        case loss_kind::squared_hinge: return y * f < 1 ? 2.0 : 0.0;
        case loss_kind::huber: return std::abs(f - y) <= parameter ? 1.0 : 0.0;
        case loss_kind::poisson: return std::exp(f);
        case loss_kind::user: return functions.second(y, f);
        default: return 0;
    }
}

// A loss in the form that Newton's method needs. A loss with corners is smoothed: smoothed_loss is the
// maximum over u of u(f - y) - ε|u| - μ/2 (u - c)², and its derivative in f is the maximising u. The
// centre c is the u of the previous round, so that u becomes exact although μ does not go to 0 (proximal
// point method on the dual, Rockafellar 1976).
struct smoothed_loss {
    const loss& of;
    double mu = 0;  // 0: the loss is smooth and is used as it is

    struct derivatives {
        double value, first, second;
    };
    derivatives operator()(double y, double f, double c) const {
        if (mu == 0) return {of.value(y, f), of.first(y, f), of.second(y, f)};
        const double free = c + (f - y) / mu, flat = of.width() / mu;
        const double shrunk = free > flat ? free - flat : free < -flat ? free + flat : 0.0;
        const double u = std::clamp(shrunk, of.low(y), of.high(y));
        const bool inside = u == shrunk && (u != 0 || flat == 0);
        return {u * (f - y) - of.width() * std::abs(u) - 0.5 * mu * (u - c) * (u - c), u, inside ? 1 / mu : 0.0};
    }
};

}  // namespace mercer
