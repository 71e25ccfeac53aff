// Dual numbers for forward-mode differentiation: a value and its derivative (`slope`) with respect to one variable.
//
// The formulas of kernels are templates on the number type and are evaluated with dual numbers without change; the
// result is the kernel value and its derivative.
#pragma once

#include <cmath>

namespace mercer {

struct dual_number {
    double value = 0;
    double slope = 0;

    dual_number() = default;
    dual_number(double v, double s) : value(v), slope(s) {}
    dual_number(double parameter) : value(parameter) {}  // NOLINT: formulas mix them with plain numbers
};

inline dual_number operator+(dual_number a, dual_number b) { return {a.value + b.value, a.slope + b.slope}; }
inline dual_number operator-(dual_number a, dual_number b) { return {a.value - b.value, a.slope - b.slope}; }
inline dual_number operator-(dual_number a) { return {-a.value, -a.slope}; }
inline dual_number operator*(dual_number a, dual_number b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
inline dual_number operator/(dual_number a, dual_number b) {
    const double q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
}

// f(a) by the chain rule, from the value and the derivative of f at a. A slope of 0 stays 0 if the derivative is
// infinite.
inline dual_number chain_rule(dual_number a, double f, double derivative) {
    return {f, a.slope == 0 ? 0.0 : a.slope * derivative};
}
inline dual_number exp(dual_number a) { return chain_rule(a, std::exp(a.value), std::exp(a.value)); }
inline dual_number exp2(dual_number a) {
    return chain_rule(a, std::exp2(a.value), std::exp2(a.value) * 0.6931471805599453);
}
inline dual_number log(dual_number a) { return chain_rule(a, std::log(a.value), 1 / a.value); }
inline dual_number log1p(dual_number a) { return chain_rule(a, std::log1p(a.value), 1 / (1 + a.value)); }
inline dual_number tanh(dual_number a) {
    const double t = std::tanh(a.value);
    return chain_rule(a, t, 1 - t * t);
}
inline dual_number sqrt(dual_number a) {
    const double root = std::sqrt(a.value);
    return chain_rule(a, root, 0.5 / root);
}
inline dual_number power(dual_number a, double m) {
    return chain_rule(a, std::pow(a.value, m), m * std::pow(a.value, m - 1));
}
inline dual_number at_most(dual_number a, double limit) { return a.value < limit ? a : dual_number(limit); }
inline dual_number ratio(dual_number a, dual_number b, double otherwise) {
    return b.value == 0 ? dual_number(otherwise) : a / b;
}

}  // namespace mercer
