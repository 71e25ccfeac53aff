// Numbers with a bound on their error: |exact - value| <= error after every operation, rounding included (running error
// analysis).
//
// The formulas of kernels are templates on the number type and are evaluated with these numbers without change. A plain
// double in a formula is a parameter of a kernel. If it is not a short binary fraction, it was rounded from a decimal
// number or computed from one (0.3, 1/ℓ, √3), so its relative error is assumed to be up to 4ε. The bound then holds for
// the kernel with the parameter as written and for the kernel with the parameter as stored.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

template <class R>
struct error_bounded {
    R value = 0;
    R error = 0;

    error_bounded() = default;
    error_bounded(R v, R e) : value(v), error(e) {}
    // An exact number.
    static error_bounded exact(double v) { return {static_cast<R>(v), R(0)}; }
    // The result v of one operation whose rounding error is at most units·ε·|v|, ε the machine epsilon of R; e is the
    // error that the errors of the arguments cause.
    static error_bounded rounded(R v, R e, int units = 1) {
        return {v, e * (1 + 8 * std::numeric_limits<R>::epsilon()) +
                       static_cast<R>(units) * std::numeric_limits<R>::epsilon() * std::abs(v) +
                       std::numeric_limits<R>::min()};
    }
    error_bounded(double parameter)
        : value(static_cast<R>(parameter)) {  // NOLINT: formulas mix them with plain numbers
        const double millionths = std::ldexp(parameter, 20);
        const bool shown_as_it_is = std::abs(parameter) < 0x1p31 && millionths == std::nearbyint(millionths);
        error =
            shown_as_it_is ? R(0) : static_cast<R>(4 * std::numeric_limits<double>::epsilon() * std::abs(parameter));
    }
    // An upper bound of the absolute value.
    R magnitude() const { return std::abs(value) + error; }
    // Returns true if the number is exactly 0.
    bool is_zero() const { return value == 0 && error == 0; }
    // Returns true if the number is 0 up to underflow.
    bool is_nearly_zero() const { return value == 0 && error < R(1e-280); }
};

template <class R>
error_bounded<R> operator+(error_bounded<R> a, error_bounded<R> b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    return error_bounded<R>::rounded(a.value + b.value, a.error + b.error);
}
template <class R>
error_bounded<R> operator*(error_bounded<R> a, error_bounded<R> b) {
    // An exact 0 times a number is 0, however large the error bound of the number is.
    if ((a.is_zero() && std::isfinite(b.value)) || (b.is_zero() && std::isfinite(a.value))) return {};
    return error_bounded<R>::rounded(a.value * b.value, std::abs(a.value) * b.error + b.magnitude() * a.error);
}
template <class R>
error_bounded<R> operator/(error_bounded<R> a, error_bounded<R> b) {
    const R least = std::abs(b.value) - b.error, quotient = a.value / b.value;
    if (!(least > 0)) return {quotient, std::numeric_limits<R>::infinity()};
    if (a.is_zero()) return {};
    return error_bounded<R>::rounded(quotient, (a.error + std::abs(quotient) * b.error) / least);
}
template <class R>
error_bounded<R> operator-(error_bounded<R> a) {
    return {-a.value, a.error};
}
template <class R>
error_bounded<R> operator-(error_bounded<R> a, error_bounded<R> b) {
    return a + -b;
}
template <class R>
error_bounded<R> operator*(double c, error_bounded<R> a) {
    return error_bounded<R>(c) * a;
}
template <class R>
error_bounded<R> operator+(double c, error_bounded<R> a) {
    return error_bounded<R>(c) + a;
}
template <class R>
error_bounded<R> operator+(error_bounded<R> a, double c) {
    return a + error_bounded<R>(c);
}
template <class R>
error_bounded<R> operator/(error_bounded<R> a, double c) {
    return a / error_bounded<R>(c);
}
template <class R>
error_bounded<R> operator/(double c, error_bounded<R> a) {
    return error_bounded<R>(c) / a;
}

// Functions of the C library are assumed to have a relative error of at most 4ε.
template <class R>
error_bounded<R> exp(error_bounded<R> a) {
    const R value = std::exp(a.value);
    return error_bounded<R>::rounded(value, value * std::expm1(a.error), 4);
}
template <class R>
error_bounded<R> exp2(error_bounded<R> a) {
    const R value = std::exp2(a.value);
    return error_bounded<R>::rounded(value, value * std::expm1(a.error), 4);  // 2^e - 1 <= e^e - 1
}
template <class R>
error_bounded<R> tanh(error_bounded<R> a) {
    const R steepest = std::cosh(std::max(R(0), std::abs(a.value) - a.error));  // tanh' = 1/cosh², largest nearest to 0
    return error_bounded<R>::rounded(std::tanh(a.value), std::isinf(steepest) ? R(0) : a.error / steepest / steepest,
                                     4);
}
template <class R>
error_bounded<R> sqrt(error_bounded<R> a) {
    const R value = std::sqrt(std::max(R(0), a.value)), low = a.value - a.error;
    if (a.is_zero()) return {};
    if (a.error == 0) return error_bounded<R>::rounded(value, R(0));
    return error_bounded<R>::rounded(value, low > 0 ? a.error / (value + std::sqrt(low)) : std::sqrt(a.magnitude()));
}
// a >= 0
template <class R>
error_bounded<R> log1p(error_bounded<R> a) {
    return error_bounded<R>::rounded(std::log1p(a.value), a.error / (1 + std::max(R(0), a.value - a.error)), 4);
}
// a > 0; the error bound is infinite if a - error <= 0
template <class R>
error_bounded<R> log(error_bounded<R> a) {
    const R low = a.value - a.error;
    return error_bounded<R>::rounded(std::log(a.value), low > 0 ? a.error / low : std::numeric_limits<R>::infinity(),
                                     4);
}
// a^m as exp(m·log a); whole_power serves small whole m
template <class R>
error_bounded<R> power(error_bounded<R> a, double m) {
    return a.is_zero() && m > 0 ? a : exp(m * log(a));
}
template <class R>
error_bounded<R> at_most(error_bounded<R> x, double limit) {
    return x.value < static_cast<R>(limit) ? x : error_bounded<R>{static_cast<R>(limit), x.error};
}
template <class R>
error_bounded<R> ratio(error_bounded<R> a, error_bounded<R> b, double otherwise) {
    return b.is_nearly_zero() ? error_bounded<R>(otherwise) : a / b;
}

}  // namespace mercer
