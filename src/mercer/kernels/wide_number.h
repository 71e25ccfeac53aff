// Non-negative numbers with the precision of double and an exponent of 64 bits: m·2^e with 1 <= m < 2, or 0. Sums of
// products over alignments grow and shrink exponentially with the length of the sequences and leave the range of
// double.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace mercer {

class wide_number {
public:
    wide_number() = default;
    wide_number(double value) : wide_number(value, 0) {}  // NOLINT: implicit; value >= 0
    // e^x
    static wide_number exp(double x) {
        const double binary = x * std::numbers::log2e, whole = std::floor(binary);
        // x - whole·ln 2 with ln 2 as the sum of two doubles, because the rounding of `binary` has lost digits of x
        const double rest = (x - whole * 0x1.62e42fee00000p-1) - whole * 0x1.a39ef35793c76p-33;
        return {std::exp(rest), static_cast<std::int64_t>(whole)};
    }
    double log() const { return m_ == 0 ? -HUGE_VAL : std::log(m_) + static_cast<double>(e_) * std::numbers::ln2; }

    // The number as a double; 0 below 2^-1000. Requires that the number is in the range of double.
    double value() const { return e_ < -1000 ? 0.0 : std::ldexp(m_, static_cast<int>(e_)); }

    friend wide_number operator*(wide_number a, wide_number b) { return {a.m_ * b.m_, a.e_ + b.e_}; }
    friend wide_number operator+(wide_number a, wide_number b) {
        if (a.e_ < b.e_) std::swap(a, b);
        return {a.m_ + b.m_ * power(b.e_ - a.e_), a.e_};
    }

private:
    static constexpr std::int64_t zero = -(std::int64_t{1} << 60);  // the exponent of 0

    // m·2^e for m >= 0, normalised.
    wide_number(double m, std::int64_t e) {
        const auto bits = std::bit_cast<std::uint64_t>(m);
        const auto stored = static_cast<std::int64_t>(bits >> 52);
        if (stored == 0) {
            if (m > 0) *this = wide_number(m * 0x1p100, e - 100);  // a subnormal number
            return;
        }
        m_ = std::bit_cast<double>((bits & 0xfffffffffffff) | std::uint64_t{1023} << 52);
        e_ = e + stored - 1023;
    }
    // 2^e for e <= 0; 0 below 2^-1000, where the smaller summand does not change the sum.
    static double power(std::int64_t e) {
        return e < -1000 ? 0.0 : std::bit_cast<double>(static_cast<std::uint64_t>(1023 + e) << 52);
    }

    double m_ = 0;
    std::int64_t e_ = zero;
};

}  // namespace mercer
