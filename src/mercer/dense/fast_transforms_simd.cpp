// Compiled once per instruction set, like kernels/evaluation/formula_loops.cpp.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>

#include "mercer/dense/fast_transforms.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using size = std::int64_t;
using tag = hn::ScalableTag<double>;
using vec = hn::Vec<tag>;
constexpr size lanes = static_cast<size>(hn::MaxLanes(tag()));
constexpr tag d;

// ---- Walsh-Hadamard transform

HWY_INLINE void add_and_subtract(double& a, double& b) {
    const double sum = a + b;
    b = a - b;
    a = sum;
}
HWY_INLINE void eight(double* x) {
    for (int h = 1; h < 8; h *= 2)
        for (int i = 0; i < 8; ++i)
            if (!(i & h)) add_and_subtract(x[i], x[i + h]);
}
// Two levels in one pass, on four numbers at distance h. h is a multiple of the vector length.
HWY_INLINE void four_apart(double* x, size n, size h) {
    for (size at = 0; at < n; at += 4 * h)
        for (double* p = x + at; p < x + at + h; p += lanes) {
            const auto a = hn::LoadU(d, p), b = hn::LoadU(d, p + h), e = hn::LoadU(d, p + 2 * h),
                       f = hn::LoadU(d, p + 3 * h);
            const auto ab = hn::Add(a, b), a_b = hn::Sub(a, b), ef = hn::Add(e, f), e_f = hn::Sub(e, f);
            hn::StoreU(hn::Add(ab, ef), d, p);
            hn::StoreU(hn::Add(a_b, e_f), d, p + h);
            hn::StoreU(hn::Sub(ab, ef), d, p + 2 * h);
            hn::StoreU(hn::Sub(a_b, e_f), d, p + 3 * h);
        }
}
HWY_INLINE void two_apart(double* x, size n, size h) {
    for (size at = 0; at < n; at += 2 * h)
        for (double* p = x + at; p < x + at + h; p += lanes) {
            const auto a = hn::LoadU(d, p), b = hn::LoadU(d, p + h);
            hn::StoreU(hn::Add(a, b), d, p);
            hn::StoreU(hn::Sub(a, b), d, p + h);
        }
}
// The levels commute. Levels of small distances are done first, for a part of x that fits into the L1 cache at a time.
void walsh_hadamard(double* x, size n) {
    constexpr size near = 4096;
    if (n > near) {
        for (size part = 0; part < 4 && n / 4 >= near; ++part) walsh_hadamard(x + part * (n / 4), n / 4);
        if (n / 4 >= near) return four_apart(x, n, n / 4);
        walsh_hadamard(x, near), walsh_hadamard(x + near, near);
        return two_apart(x, n, near);
    }
    if (n < 8) {
        for (size h = 1; h < n; h *= 2)
            for (size i = 0; i < n; ++i)
                if (!(i & h)) add_and_subtract(x[i], x[i + h]);
        return;
    }
    for (size at = 0; at < n; at += 8) eight(x + at);
    size h = 8;
    for (; 4 * h <= n; h *= 4) four_apart(x, n, h);
    if (2 * h <= n) two_apart(x, n, h);
}

// ---- cosines and sines

// Highway's functions have an error of at most 3 ulp up to this argument. Larger ones are computed one by one by the C
// library.
constexpr double far = 39000;

bool cos_sin(const double* angle, size count, double scale, double* out) {
    const auto s = hn::Set(d, scale), most = hn::Set(d, far);
    bool finite = true;
    const auto one_by_one = [&](size from, size end) {
        for (size j = from; j < end; ++j) {
            finite = finite && std::isfinite(angle[j]);
            out[2 * j] = scale * std::cos(angle[j]);
            out[2 * j + 1] = scale * std::sin(angle[j]);
        }
    };
    size j = 0;
    for (; j + lanes <= count; j += lanes) {
        const auto x = hn::LoadU(d, angle + j);
        if (hn::AllTrue(d, hn::Le(hn::Abs(x), most)))
            hn::StoreInterleaved2(hn::Mul(s, hn::Cos(d, x)), hn::Mul(s, hn::Sin(d, x)), d, out + 2 * j);
        else
            one_by_one(j, j + lanes);
    }
    one_by_one(j, count);
    return finite;
}

// ---- Fourier transform

struct complex {
    vec re, im;
    static HWY_INLINE complex load(const double* p) { return {hn::LoadU(d, p), hn::LoadU(d, p + lanes)}; }
    HWY_INLINE void store(double* p) const {
        hn::StoreU(re, d, p);
        hn::StoreU(im, d, p + lanes);
    }
};
HWY_INLINE complex operator+(complex a, complex b) { return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)}; }
HWY_INLINE complex operator-(complex a, complex b) { return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)}; }
HWY_INLINE complex operator*(complex a, complex b) {
    return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)), hn::MulAdd(a.im, b.re, hn::Mul(a.re, b.im))};
}
HWY_INLINE complex conj(complex a) { return {a.re, hn::Neg(a.im)}; }
HWY_INLINE complex times_i(complex a) { return {hn::Neg(a.im), a.re}; }
HWY_INLINE complex over_i(complex a) { return {a.im, hn::Neg(a.re)}; }
HWY_INLINE complex halved(complex a, vec half) { return {hn::Mul(a.re, half), hn::Mul(a.im, half)}; }
// e^(-iθ) and e^(iθ) from cos θ and sin θ.
HWY_INLINE complex clockwise(const double* turn) { return {hn::Set(d, turn[0]), hn::Set(d, -turn[1])}; }
HWY_INLINE complex anticlockwise(const double* turn) { return {hn::Set(d, turn[0]), hn::Set(d, turn[1])}; }

constexpr size wide = 2 * lanes;  // doubles of one complex number for all lanes
constexpr size near_numbers = 16384 / (8 * wide);

// Decimation in frequency, two levels in one pass. A level is (a, b) ← (a + b, (a - b)ω^k) for numbers a and b at a
// distance of m/2; the next level is the same in both halves, with ω². The result is in bit-reversed order.
// ω = e^(-2πi·step/n).
void quarters_apart(double* z, size m, size step, const double* turn) {
    const size q = m / 4;
    for (size k = 0; k < q; ++k) {
        double *pa = z + k * wide, *pb = pa + q * wide, *pc = pb + q * wide, *pd = pc + q * wide;
        const complex a = complex::load(pa), b = complex::load(pb), c = complex::load(pc), e = complex::load(pd);
        const complex ac = a + c, be = b + e, a_c = a - c, b_e = over_i(b - e);
        (ac + be).store(pa);
        ((ac - be) * clockwise(turn + 4 * k * step)).store(pb);
        ((a_c + b_e) * clockwise(turn + 2 * k * step)).store(pc);
        ((a_c - b_e) * clockwise(turn + 6 * k * step)).store(pd);
    }
}
// Decimation in time, from bit-reversed to natural order: (a, b) ← (a + bω̄^k, a - bω̄^k), small distances first.
void quarters_together(double* z, size m, size step, const double* turn) {
    const size q = m / 4;
    for (size k = 0; k < q; ++k) {
        double *pa = z + k * wide, *pb = pa + q * wide, *pc = pb + q * wide, *pd = pc + q * wide;
        const complex a = complex::load(pa), b = complex::load(pb) * anticlockwise(turn + 4 * k * step),
                      c = complex::load(pc) * anticlockwise(turn + 2 * k * step),
                      e = complex::load(pd) * anticlockwise(turn + 6 * k * step);
        const complex ab = a + b, a_b = a - b, ce = c + e, c_e = times_i(c - e);
        (ab + ce).store(pa);
        (a_b + c_e).store(pb);
        (ab - ce).store(pc);
        (a_b - c_e).store(pd);
    }
}
// The level of distance 1, where ω⁰ = 1, so that both directions are the same.
void pairs(double* z, size m) {
    for (size at = 0; at + 1 < m; at += 2) {
        double *p = z + at * wide, *q = p + wide;
        const complex a = complex::load(p), b = complex::load(q);
        (a + b).store(p);
        (a - b).store(q);
    }
}
// All levels. Parts that fit into the L1 cache are transformed one at a time.
void complex_forward(double* z, size m, size step, const double* turn) {
    if (m > near_numbers) {
        quarters_apart(z, m, step, turn);
        for (size part = 0; part < 4; ++part) complex_forward(z + part * (m / 4) * wide, m / 4, 4 * step, turn);
        return;
    }
    size part = m;
    for (; part >= 4; part /= 4, step *= 4)
        for (size at = 0; at < m; at += part) quarters_apart(z + at * wide, part, step, turn);
    if (part == 2) pairs(z, m);
}
void complex_back(double* z, size m, size step, const double* turn) {
    if (m > near_numbers) {
        for (size part = 0; part < 4; ++part) complex_back(z + part * (m / 4) * wide, m / 4, 4 * step, turn);
        return quarters_together(z, m, step, turn);
    }
    size part = 1;
    while (part * 4 <= m) part *= 4;
    const bool odd = part != m;
    if (odd) pairs(z, m);
    for (part = odd ? 8 : 4; part <= m; part *= 4)
        for (size at = 0; at < m; at += part) quarters_together(z + at * wide, part, step * (m / part), turn);
}

// Calls f(p, q, turn) for the frequencies k and m - k of a transform of m complex numbers, 0 < k <= m/2. In
// bit-reversed order, positions 2^b … 2^(b+1) - 1 hold such pairs in mirrored order.
template <class F>
HWY_INLINE void each_pair(double* z, size m, const double* reversed, F f) {
    for (size low = 1; low < m; low *= 2)
        for (size i = low; 2 * i <= 3 * low - 1; ++i) f(z + i * wide, z + (3 * low - 1 - i) * wide, reversed + 2 * i);
}

// The transform X of n real numbers from the transform Z of the m = n/2 complex numbers that they form.
// E = ½(Z_k + Z̄_{m-k}) is the transform of the numbers at even positions, O = ½(Z_k - Z̄_{m-k})/i that of the others.
// X_k = E + ω^k O, and X_{m-k} is the conjugate of E - ω^k O. X_0 and X_m are real and are stored as the two parts of
// the first complex number.
void forward(double* z, size n, const double* turn, const double* reversed) {
    const size m = n / 2;
    complex_forward(z, m, 2, turn);
    const auto half = hn::Set(d, 0.5);
    const complex first = complex::load(z);
    complex{hn::Add(first.re, first.im), hn::Sub(first.re, first.im)}.store(z);
    each_pair(z, m, reversed, [&](double* p, double* q, const double* at) HWY_ATTR {
        const complex a = complex::load(p), b = conj(complex::load(q));
        const complex even = halved(a + b, half), odd = clockwise(at) * halved(over_i(a - b), half);
        (even + odd).store(p);
        conj(even - odd).store(q);
    });
}

void multiply(double* to, const double* by, size n) {
    (complex{hn::Mul(hn::LoadU(d, to), hn::LoadU(d, by)), hn::Mul(hn::LoadU(d, to + lanes), hn::LoadU(d, by + lanes))})
        .store(to);
    for (size k = 1; k < n / 2; ++k) (complex::load(to + k * wide) * complex::load(by + k * wide)).store(to + k * wide);
}

// The inverse of forward(), including the factor 1/m.
void inverse(double* z, size n, const double* turn, const double* reversed) {
    const size m = n / 2;
    const auto half = hn::Set(d, 0.5 / static_cast<double>(m));
    const complex first = complex::load(z);
    halved({hn::Add(first.re, first.im), hn::Sub(first.re, first.im)}, half).store(z);
    each_pair(z, m, reversed, [&](double* p, double* q, const double* at) HWY_ATTR {
        const complex a = complex::load(p), b = conj(complex::load(q));
        const complex even = halved(a + b, half), odd = times_i(anticlockwise(at) * halved(a - b, half));
        (even + odd).store(p);
        conj(even - odd).store(q);
    });
    complex_back(z, m, 2, turn);
}

void scatter(double* z, const size* where, const double* x, size count) {
    for (size j = 0; j < count; ++j, x += lanes) {
        double* to = z + (where[j] >> 1) * lanes;
        const auto v = hn::LoadU(d, x), sum = hn::LoadU(d, to);
        hn::StoreU(where[j] & 1 ? hn::Sub(sum, v) : hn::Add(sum, v), d, to);
    }
}

#define MERCER_TEXT2(x) #x
#define MERCER_TEXT(x) MERCER_TEXT2(x)
const transform_ops table{
    MERCER_TEXT(MERCER_SIMD_TARGET), walsh_hadamard, cos_sin, lanes, forward, multiply, inverse, scatter};

}  // namespace

const transform_ops& transforms() { return table; }

}  // namespace mercer::MERCER_SIMD_TARGET
