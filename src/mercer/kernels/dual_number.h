// Dual numbers for forward-mode differentiation: a value and its derivative (`slope`) with respect to one variable.
//
// The formulas of kernels are templates on the number type and are evaluated with dual numbers without change; the
// result is the kernel value and its derivative.
#pragma once

#include <cmath>

namespace mercer {

struct dual {
    double value = 0;
    double slope = 0;

    dual() = default;
    dual(double v, double s) : value(v), slope(s) {}
    dual(double parameter) : value(parameter) {}  // NOLINT: formulas mix them with plain numbers
};

inline dual operator+(dual a, dual b) { return {a.value + b.value, a.slope + b.slope}; }
inline dual operator-(dual a, dual b) { return {a.value - b.value, a.slope - b.slope}; }
inline dual operator-(dual a) { return {-a.value, -a.slope}; }
inline dual operator*(dual a, dual b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
inline dual operator/(dual a, dual b) {
    const double q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
}

// f(a) by the chain rule, from the value and the derivative of f at a. A slope of 0 stays 0 if the derivative is
// infinite.
inline dual through(dual a, double f, double derivative) { return {f, a.slope == 0 ? 0.0 : a.slope * derivative}; }
inline dual exp(dual a) { return through(a, std::exp(a.value), std::exp(a.value)); }
inline dual exp2(dual a) { return through(a, std::exp2(a.value), std::exp2(a.value) * 0.6931471805599453); }
inline dual log(dual a) { return through(a, std::log(a.value), 1 / a.value); }
inline dual log1p(dual a) { return through(a, std::log1p(a.value), 1 / (1 + a.value)); }
inline dual tanh(dual a) {
    const double t = std::tanh(a.value);
    return through(a, t, 1 - t * t);
}
inline dual sqrt(dual a) {
    const double root = std::sqrt(a.value);
    return through(a, root, 0.5 / root);
}
inline dual power(dual a, double m) { return through(a, std::pow(a.value, m), m * std::pow(a.value, m - 1)); }
inline dual at_most(dual a, double limit) { return a.value < limit ? a : dual(limit); }
inline dual ratio(dual a, dual b, double otherwise) { return b.value == 0 ? dual(otherwise) : a / b; }

}  // namespace mercer
