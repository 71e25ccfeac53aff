// Reference implementations of kernels from their definitions, one pair at a time in long double, independent of the
// library. Every value has a first-order bound on the error of an evaluation in floating point, in units of the
// rounding error u. The bound follows from the condition of each step, so that tolerances are derived and not chosen.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "contracts/objects.h"
#include "mercer/kernels/expression/algebra.h"

namespace mercer::testing {

struct approx {
    long double value = 0;
    long double error = 0;  // in units of u
    // Values below the smallest normal number may be flushed to zero: the error in multiples of this number.
    long double flushed = 1;
};
using reference = std::function<approx(const object&, const object&)>;

// A kernel of the library and its definition.
struct kernel_case {
    kernel k;
    reference f;
    bool non_negative = false;  // needs vectors with coordinates >= 0
};

// Statistics of two vectors.
inline approx dot_of(const object& x, const object& z) {
    approx sum;
    for (std::size_t a = 0; a < x.vector.size(); ++a) {
        sum.value += static_cast<long double>(x.vector[a]) * z.vector[a];
        sum.error += std::abs(static_cast<long double>(x.vector[a]) * z.vector[a]);
    }
    sum.error *= static_cast<long double>(x.vector.size()) + 2;
    return sum;
}

// Computed as ‖x‖² + ‖z‖² - 2xᵀz: the bound contains the rounding error of every term of this formula.
inline approx squared_distance_of(const object& x, const object& z) {
    approx sum;
    for (std::size_t a = 0; a < x.vector.size(); ++a) {
        const long double difference = static_cast<long double>(x.vector[a]) - z.vector[a];
        sum.value += difference * difference;
    }
    sum.error = 2 * (dot_of(x, x).error + dot_of(z, z).error);
    return x.vector == z.vector ? approx{} : sum;
}

template <class Term>
approx sum_over(const object& x, const object& z, Term term) {
    approx sum;
    for (std::size_t a = 0; a < x.vector.size(); ++a)
        sum.value += term(static_cast<long double>(x.vector[a]), static_cast<long double>(z.vector[a]));
    sum.error = (static_cast<long double>(x.vector.size()) + 4) * sum.value;
    return sum;
}

// f(t) for a value t with an error, given |f'(t)|; `own` is the error of computing f itself.
inline approx propagate_error(const approx& t, long double value, long double slope, long double own) {
    return {value, std::abs(slope) * t.error + own, 1 + std::abs(slope) * t.flushed};
}

// e^(-rate·t): the rounding of the argument adds an error of u·rate·t.
inline approx decay(const approx& t, long double rate) {
    const long double value = std::exp(-rate * t.value);
    return propagate_error(t, value, rate * value, (4 + 2 * rate * t.value) * value);
}

inline approx root(const approx& t) {
    const long double value = std::sqrt(t.value);
    return {value, value > 0 ? t.error / (2 * value) + value
                             : 0};  // points of random data are not so close that √ is ill-conditioned
}

inline approx rounded(const approx& a) { return {a.value, a.error + std::abs(a.value), a.flushed}; }

inline kernel_case scaled(double c, const kernel_case& a) {
    return {c * a.k,
            [c, f = a.f](const object& x, const object& z) {
                const approx v = f(x, z);
                return rounded({c * v.value, std::abs(c) * v.error, 1 + std::abs(c) * v.flushed});
            },
            a.non_negative};
}
inline kernel_case sum(const kernel_case& a, const kernel_case& b) {
    return {a.k + b.k,
            [f = a.f, g = b.f](const object& x, const object& z) {
                const approx v = f(x, z), w = g(x, z);
                return rounded({v.value + w.value, v.error + w.error, 1 + v.flushed + w.flushed});
            },
            a.non_negative || b.non_negative};
}
inline kernel_case product(const kernel_case& a, const kernel_case& b) {
    return {a.k * b.k,
            [f = a.f, g = b.f](const object& x, const object& z) {
                const approx v = f(x, z), w = g(x, z);
                return rounded({v.value * w.value, std::abs(v.value) * w.error + std::abs(w.value) * v.error,
                                1 + std::abs(v.value) * w.flushed + std::abs(w.value) * v.flushed});
            },
            a.non_negative || b.non_negative};
}
inline kernel_case power(const kernel_case& a, double m) {
    return {pow(a.k, m),
            [m, f = a.f](const object& x, const object& z) {
                const approx v = f(x, z);
                const long double value = std::pow(v.value, static_cast<long double>(m));
                const long double slope = m == 0 ? 0 : m * std::pow(v.value, static_cast<long double>(m) - 1);
                return propagate_error(v, value, slope, (std::abs(m) + 2) * std::abs(value));
            },
            a.non_negative};
}
inline kernel_case polynomial_in(const kernel_case& a, const std::vector<double>& c) {
    return {polynomial_of(a.k, c),
            [c, f = a.f](const object& x, const object& z) {
                const approx v = f(x, z);
                approx sum;
                long double slope = 0, size = 0;
                for (std::size_t i = 0; i < c.size(); ++i) {
                    const long double term = c[i] * std::pow(v.value, static_cast<long double>(i));
                    sum.value += term;
                    size += std::abs(term);
                    if (i > 0)
                        slope += static_cast<long double>(i) *
                                 std::abs(c[i] * std::pow(v.value, static_cast<long double>(i) - 1));
                }
                sum.error = slope * v.error + 2 * static_cast<long double>(c.size()) * size;
                return sum;
            },
            a.non_negative};
}
inline kernel_case exponential(const kernel_case& a) {
    return {exp(a.k),
            [f = a.f](const object& x, const object& z) {
                const approx v = f(x, z);
                const long double value = std::exp(v.value);
                return propagate_error(v, value, value, (4 + 2 * std::abs(v.value)) * value);
            },
            a.non_negative};
}
inline kernel_case normalised_of(const kernel_case& a) {
    return {normalise(a.k),
            [f = a.f](const object& x, const object& z) {
                const approx v = f(x, z), xx = f(x, x), zz = f(z, z);
                if (xx.value == 0 || zz.value == 0) return approx{};
                const long double size = std::sqrt(xx.value * zz.value), value = v.value / size;
                return approx{value, v.error / size +
                                         std::abs(value) * (xx.error / (2 * xx.value) + zz.error / (2 * zz.value) + 6)};
            },
            a.non_negative};
}
inline kernel_case on_columns(const kernel_case& a, const std::vector<index>& which) {
    return {columns(a.k, which),
            [which, f = a.f](const object& x, const object& z) {
                object px, pz;
                for (const index c : which) {
                    px.vector.push_back(x.vector[static_cast<std::size_t>(c)]);
                    pz.vector.push_back(z.vector[static_cast<std::size_t>(c)]);
                }
                return f(px, pz);
            },
            a.non_negative};
}

// Returns the definitions of a registered kernel by its name, with several settings of its parameters.
std::vector<kernel_case> kernel_cases_of(const std::string& name);
// Registers the definition of a kernel; used in the test file of the kernel.
struct definition {
    definition(const std::string& name, std::function<std::vector<kernel_case>()> settings);
};

}  // namespace mercer::testing
