// Decimal numbers in text, correctly rounded and independent of the locale.
#pragma once

#include <cstdint>
#include <string_view>

namespace mercer::detail {

enum class number_fault { none, syntax, not_finite, overflow };

// The general case: any decimal with or without exponent that fills the token.
template <class T>
number_fault parse_number(std::string_view token, T& value);

// The same for a number at the front of a text. Its end, or nullptr where none stands there, or one that is not finite.
template <class T>
const char* decimal_at(const char* p, const char* end, T& value);

// Why a token is no number, for a message that names what was expected: "expected a value, got 'x'".
const char* reason(number_fault fault);

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Powers of ten that T holds exactly, and the largest whole number below which T holds all: with both exact, one
// division rounds correctly (Clinger's fast path).
template <class T>
struct exact;
template <>
struct exact<double> {
    static constexpr int powers = 22;
    static constexpr std::uint64_t whole = std::uint64_t{1} << 53;
    static constexpr double power[powers + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
};
template <>
struct exact<float> {
    static constexpr int powers = 10;
    static constexpr std::uint64_t whole = std::uint64_t{1} << 24;
    static constexpr float power[powers + 1] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
};

// Reads a short plain decimal (12, -0.5, +3.) from text in which some character that is neither digit nor point
// follows. Returns its end, or nullptr when the number needs parse_number.
template <class T>
inline const char* short_decimal(const char* p, T& value) {
    const bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    const char* const begin = p;
    std::uint64_t digits = 0;
    while (is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
    auto count = p - begin;
    std::ptrdiff_t fraction = 0;
    if (*p == '.') {
        const char* const point = p++;
        while (is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
        fraction = p - point - 1;
        count += fraction;
    }
    // 19 digits cannot overflow 64 bits
    if (count == 0 || count > 19 || digits > exact<T>::whole || fraction > exact<T>::powers) return nullptr;
    T magnitude = static_cast<T>(digits);
    if (fraction > 0) magnitude /= exact<T>::power[fraction];
    value = negative ? -magnitude : magnitude;
    return p;
}

}  // namespace mercer::detail
