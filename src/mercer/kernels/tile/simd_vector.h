// simd_vector<T>: a SIMD vector of T with the operators of a number. The formula of a kernel is written once,
// as a plain function of one number, and runs on double, float and whole SIMD vectors. Included by
// formula_loops.cpp only, once per instruction set.
#pragma once

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace mercer::MERCER_SIMD_TARGET {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using tag = hn::ScalableTag<T>;

namespace {

using size = std::int64_t;

template <class T>
constexpr size lane_count = static_cast<size>(hn::MaxLanes(tag<T>()));
// A tile of `dense` needs registers for two vectors of the panel, one value of the block and 2·rows_in_block sums.
// AVX-512 has 32 registers, the other instruction sets have 16.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr size rows_in_block = 12;
#else
constexpr size rows_in_block = 6;
#endif

template <class T>
constexpr size panel_width = 2 * lane_count<T>;
template <class T>
constexpr size sparse_panel_width = 4 * lane_count<T>;

}  // namespace

template <class T>
struct simd_vector {
    hn::Vec<tag<T>> v;
    static simd_vector broadcast(double x) { return {hn::Set(tag<T>(), static_cast<T>(x))}; }
    static simd_vector load(const T* p) { return {hn::LoadU(tag<T>(), p)}; }
    void store(T* p) const { hn::StoreU(v, tag<T>(), p); }
    // A factor beyond the range of T becomes the largest number of T, so that 0 times the factor stays 0
    // (rbf(gamma=1e300) in float).
    static simd_vector factor(double x) {
        const double most = hwy::HighestValue<T>();
        return broadcast(x > most ? most : x < -most ? -most : x);
    }
};

template <class T>
HWY_INLINE simd_vector<T> operator+(simd_vector<T> a, simd_vector<T> b) {
    return {hn::Add(a.v, b.v)};
}
template <class T>
HWY_INLINE simd_vector<T> operator-(simd_vector<T> a, simd_vector<T> b) {
    return {hn::Sub(a.v, b.v)};
}
template <class T>
HWY_INLINE simd_vector<T> operator*(simd_vector<T> a, simd_vector<T> b) {
    return {hn::Mul(a.v, b.v)};
}
template <class T>
HWY_INLINE simd_vector<T> operator/(simd_vector<T> a, simd_vector<T> b) {
    return {hn::Div(a.v, b.v)};
}
template <class T>
HWY_INLINE simd_vector<T> operator+(simd_vector<T> a, double b) {
    return a + simd_vector<T>::broadcast(b);
}
template <class T>
HWY_INLINE simd_vector<T> operator+(double a, simd_vector<T> b) {
    return simd_vector<T>::broadcast(a) + b;
}
template <class T>
HWY_INLINE simd_vector<T> operator-(simd_vector<T> a, double b) {
    return a - simd_vector<T>::broadcast(b);
}
template <class T>
HWY_INLINE simd_vector<T> operator*(double a, simd_vector<T> b) {
    return simd_vector<T>::factor(a) * b;
}
template <class T>
HWY_INLINE simd_vector<T> operator*(simd_vector<T> a, double b) {
    return a * simd_vector<T>::factor(b);
}
template <class T>
HWY_INLINE simd_vector<T> operator/(simd_vector<T> a, double b) {
    return a * simd_vector<T>::factor(1 / b);
}
template <class T>
HWY_INLINE simd_vector<T> operator/(double a, simd_vector<T> b) {
    return simd_vector<T>::broadcast(a) / b;
}

#if HWY_TARGET == HWY_EMU128
// Rounds to the nearest whole number and returns it as a number and as an integer. In WebAssembly Highway's Round and
// ConvertTo work lane by lane; this version adds 1.5·2²³ (float, |x| < 2²²) or 1.5·2⁵² (double, |x| < 2⁵¹), whose last
// bit has the value 1.
template <class V>
HWY_INLINE auto nearest_whole(V x) {
    const hn::DFromV<V> f;
    const hn::RebindToSigned<decltype(f)> i;
    const auto shift =
        hn::Set(f, static_cast<hn::TFromV<V>>(sizeof(hn::TFromV<V>) == 4 ? 12582912.0 : 6755399441055744.0));
    const auto sum = hn::Add(x, shift);
    return std::pair(hn::Sub(sum, shift), hn::Sub(hn::BitCast(i, sum), hn::BitCast(i, shift)));
}
// e^x = 2ⁿ·Σ rᵏ/k! with |r| <= ln 2 / 2 and k <= 13; the truncation error is below 1e-17.
template <class V>
HWY_INLINE V exp_by_series(V x) {
    const tag<double> d;
    const hn::RebindToSigned<tag<double>> i;
    const auto [n, k] = nearest_whole(hn::Mul(x, hn::Set(d, 1.4426950408889634)));
    auto r = hn::NegMulAdd(n, hn::Set(d, 6.93147180369123816490e-01), x);
    r = hn::NegMulAdd(n, hn::Set(d, 1.90821492927058770002e-10), r);
    auto p = hn::Set(d, 1.0 / 6227020800.0);
    for (const double factorial :
         {479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0})
        p = hn::MulAdd(p, r, hn::Set(d, 1.0 / factorial));
    const auto half = hn::ShiftRight<1>(k);
    const auto bias = hn::Set(i, 1023);
    const auto first = hn::BitCast(d, hn::ShiftLeft<52>(hn::Add(half, bias)));
    const auto second = hn::BitCast(d, hn::ShiftLeft<52>(hn::Add(hn::Sub(k, half), bias)));
    return hn::Mul(hn::Mul(p, first), second);
}
#endif
// eˣ = 2ⁿ·eʳ with n = round(x·log₂e) and r = x - n·ln 2, where ln 2 is split into two numbers. The polynomial for eʳ is
// the minimax polynomial of Moshier's Cephes library (expf) for |r| <= ln 2 / 2, accurate to 1.2e-7 relative. Results
// below the normal numbers are set to 0: on unscaled data nearly all results are subnormal, and every subnormal number
// costs the processor about a hundred cycles, here and wherever it is used. Large x gives infinity, NaN gives NaN (x86
// min and max return the second operand if one is NaN).
HWY_INLINE simd_vector<float> exp(simd_vector<float> x) {
    const tag<float> f;
    const hn::RebindToSigned<tag<float>> i;
    const auto low = hn::Set(f, -87.33654f);  // just above ln 2⁻¹²⁶
    const auto high = hn::Set(f, 88.73f);
    const auto t = hn::Min(high, hn::Max(low, x.v));
#if HWY_TARGET == HWY_EMU128
    const auto [n, k] = nearest_whole(hn::Mul(t, hn::Set(f, 1.44269504088896341f)));
#else
    const auto n = hn::Round(hn::Mul(t, hn::Set(f, 1.44269504088896341f)));
#endif
    auto r = hn::NegMulAdd(n, hn::Set(f, 0.693359375f), t);
    r = hn::NegMulAdd(n, hn::Set(f, -2.12194440e-4f), r);
    auto p = hn::Set(f, 1.9875691500e-4f);
    p = hn::MulAdd(p, r, hn::Set(f, 1.3981999507e-3f));
    p = hn::MulAdd(p, r, hn::Set(f, 8.3334519073e-3f));
    p = hn::MulAdd(p, r, hn::Set(f, 4.1665795894e-2f));
    p = hn::MulAdd(p, r, hn::Set(f, 1.6666665459e-1f));
    p = hn::MulAdd(p, r, hn::Set(f, 5.0000001201e-1f));
    p = hn::MulAdd(p, hn::Mul(r, r), hn::Add(r, hn::Set(f, 1.0f)));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    return {hn::IfThenZeroElse(hn::Lt(x.v, low), decltype(p){_mm512_scalef_ps(p.raw, n.raw)})};
#endif
    // 2ⁿ as a product of two factors, so that n = -149 … 128 needs no special case.
#if HWY_TARGET != HWY_EMU128
    const auto k = hn::ConvertTo(i, n);
#endif
    const auto half = hn::ShiftRight<1>(k);
    const auto bias = hn::Set(i, 127);
    const auto first = hn::BitCast(f, hn::ShiftLeft<23>(hn::Add(half, bias)));
    const auto second = hn::BitCast(f, hn::ShiftLeft<23>(hn::Add(hn::Sub(k, half), bias)));
    return {hn::IfThenZeroElse(hn::Lt(x.v, low), hn::Mul(hn::Mul(p, first), second))};
}
#if HWY_TARGET == HWY_EMU128
HWY_INLINE simd_vector<double> exp(simd_vector<double> x) {
    const tag<double> d;
    const auto low = hn::Set(d, -708.396418532264);  // just above ln 2⁻¹⁰²²
    const auto within = hn::Max(low, hn::Min(hn::Set(d, 710.0), x.v));
    return {hn::IfThenElse(hn::Eq(x.v, x.v), hn::IfThenZeroElse(hn::Lt(x.v, low), exp_by_series(within)), x.v)};
}
#else
// The same method with n counted in sixteenths: 2^(n/16) is a power of two times one of sixteen numbers, which AVX-512
// holds in two registers. Since |r| <= ln 2 / 32, seven terms of the series are enough, with a truncation error below
// 1.3e-18. This takes half the time of Highway's exp, which needs thirteen terms, wraps around for |x| > 1420 and
// returns 0 for NaN.
HWY_INLINE simd_vector<double> exp(simd_vector<double> x) {
    const tag<double> d;
    alignas(64) static constexpr double roots[16] = {0x1p+0,
                                                     0x1.0b5586cf9890fp+0,
                                                     0x1.172b83c7d517bp+0,
                                                     0x1.2387a6e756238p+0,
                                                     0x1.306fe0a31b715p+0,
                                                     0x1.3dea64c123422p+0,
                                                     0x1.4bfdad5362a27p+0,
                                                     0x1.5ab07dd485429p+0,
                                                     0x1.6a09e667f3bcdp+0,
                                                     0x1.7a11473eb0187p+0,
                                                     0x1.8ace5422aa0dbp+0,
                                                     0x1.9c49182a3f090p+0,
                                                     0x1.ae89f995ad3adp+0,
                                                     0x1.c199bdd85529cp+0,
                                                     0x1.d5818dcfba487p+0,
                                                     0x1.ea4afa2a490dap+0};
    const auto low = hn::Set(d, -708.396418532264);  // just above ln 2⁻¹⁰²²
    const auto t = hn::Min(hn::Set(d, 710.0), hn::Max(low, x.v));
    // The last bit of 1.5·2⁵² has the value 1, so the low bits of the sum are n in two's complement.
    const auto shift = hn::Set(d, 0x1.8p52);
    const auto sum = hn::MulAdd(t, hn::Set(d, 0x1.71547652b82fep+4), shift);
    const auto n = hn::Sub(sum, shift);
    // ln 2 / 16 is split into two numbers; the first one has so few digits that its product with n is exact.
    auto r = hn::NegMulAdd(n, hn::Set(d, 6.93147180369123816490e-01 / 16), t);
    r = hn::NegMulAdd(n, hn::Set(d, 1.90821492927058770002e-10 / 16), r);
    auto p = hn::Set(d, 1.0 / 5040);
    for (const double factorial : {720.0, 120.0, 24.0, 6.0, 2.0}) p = hn::MulAdd(p, r, hn::Set(d, 1 / factorial));
    p = hn::MulAdd(p, hn::Mul(r, r), r);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    const decltype(p) root{
        _mm512_permutex2var_pd(_mm512_load_pd(roots), _mm512_castpd_si512(sum.raw), _mm512_load_pd(roots + 8))};
    const auto by = hn::Mul(n, hn::Set(d, 0.0625));  // scalef rounds n/16 down
    const decltype(p) out{_mm512_scalef_pd(hn::MulAdd(root, p, root).raw, by.raw)};
#else
    const hn::RebindToSigned<tag<double>> i;
    const auto bits = hn::BitCast(i, sum), sixteenth = hn::And(bits, hn::Set(i, 15));
    const auto root = hn::GatherIndex(d, roots, sixteenth);
    // Adds floor(n/16) to the exponent field, whose unit is 2⁵²: n - (n mod 16) = 16·floor(n/16), shifted by 48 bits.
    // The higher bits of the sum are shifted out.
    const auto exponent = hn::ShiftLeft<48>(hn::Sub(bits, sixteenth));
    const auto power = hn::BitCast(d, hn::Add(hn::BitCast(i, hn::MulAdd(root, p, root)), exponent));
    const auto finite = hn::IfThenElse(hn::Gt(x.v, hn::Set(d, 709.782712893384)),
                                       hn::Set(d, std::numeric_limits<double>::infinity()), power);
    const auto out = hn::IfThenElse(hn::Eq(x.v, x.v), finite, x.v);
#endif
    return {hn::IfThenZeroElse(hn::Lt(x.v, low), out)};
}
#endif
// 2ⁿ for a whole n >= 0: exact, or infinity if the result is out of range. The result is a product of two factors,
// because 2ⁿ itself may be just out of range.
template <class T>
HWY_INLINE simd_vector<T> exp2(simd_vector<T> n) {
    const tag<T> d;
    const hn::RebindToSigned<tag<T>> i;
    constexpr int mantissa = sizeof(T) == 4 ? 23 : 52;
    const auto bias = hn::Set(i, sizeof(T) == 4 ? 127 : 1023);
    const auto k = hn::ConvertTo(i, hn::Min(n.v, hn::Set(d, static_cast<T>(sizeof(T) == 4 ? 129 : 1025))));
    const auto half = hn::ShiftRight<1>(k);
    const auto first = hn::BitCast(d, hn::ShiftLeft<mantissa>(hn::Add(half, bias)));
    const auto second = hn::BitCast(d, hn::ShiftLeft<mantissa>(hn::Add(hn::Sub(k, half), bias)));
    return {hn::Mul(first, second)};
}
template <class T>
HWY_INLINE simd_vector<T> log1p(simd_vector<T> x) {
    return {hn::Log1p(tag<T>(), x.v)};
}
template <class T>
HWY_INLINE simd_vector<T> tanh(simd_vector<T> x) {
    return {hn::Tanh(tag<T>(), x.v)};
}
template <class T>
HWY_INLINE simd_vector<T> sqrt(simd_vector<T> x) {
    return {hn::Sqrt(x.v)};
}
template <class T>
HWY_INLINE simd_vector<T> max(simd_vector<T> a, simd_vector<T> b) {
    return {hn::Max(a.v, b.v)};
}
template <class T>
HWY_INLINE simd_vector<T> at_most(simd_vector<T> x, double limit) {
    return {hn::Min(simd_vector<T>::factor(limit).v, x.v)};
}
template <class T>
HWY_INLINE simd_vector<T> ratio(simd_vector<T> a, simd_vector<T> b, double otherwise) {
    const tag<T> d;
    return {hn::IfThenElse(hn::Eq(b.v, hn::Zero(d)), hn::Set(d, static_cast<T>(otherwise)), hn::Div(a.v, b.v))};
}

}  // namespace mercer::MERCER_SIMD_TARGET
