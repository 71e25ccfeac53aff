// Texts: lists, decimal numbers, and the nearest of several names.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

// The items (texts or numbers) with `between` between them: "a, b, c". (fmt::join would compile the whole formatter of
// {fmt} into every source that uses it.)
template <class Range>
std::string joined(const Range& items, std::string_view between) {
    std::string out;
    bool first = true;
    for (const auto& each : items) {
        if (!first) out += between;
        first = false;
        if constexpr (requires { out.append(each); })
            out.append(each);
        else
            out += fmt::format("{}", each);
    }
    return out;
}

// Numbers as decimal text, independent of the locale and fast enough for files of millions of numbers.

inline constexpr int longest_decimal = 32;  // the largest number of characters that these functions write

// Each function writes at `to`, without a terminating zero, and returns the end.
// As printf's %.<digits>g.
char* write_general(char* to, double value, int digits);
// The shortest text that reads back as the same number. Below 1e8 it equals the text of printf's %.8g if 8 digits
// suffice and the number is not denormal.
char* write_shortest(char* to, double value);
char* write_whole(char* to, long long value);

namespace detail {

// The number of insertions, deletions, replacements and exchanges of neighbouring letters that change one word into the
// other.
inline std::size_t edits(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

}  // namespace detail

// The known name that `word` is probably meant to be: the closest one in edits, where a name that begins with `word`
// counts as one edit. Empty if the distance is larger than max(2, a third of the word's length).
inline std::string nearest_name(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const auto& each : known) {
        const bool begins = word.size() >= 2 && each.compare(0, word.size(), word) == 0;
        const bool long_one = word.size() > 64 || each.size() > 64;
        const std::size_t apart = begins ? 1 : long_one ? least : detail::edits(word, each);
        if (apart < least && apart < each.size()) least = apart, best = each;
    }
    return best;
}

}  // namespace mercer

namespace mercer::detail {

// Parsing of decimal numbers, correctly rounded and independent of the locale.

enum class number_fault { none, syntax, not_finite, overflow };

// Parses a token that is one decimal number, with or without an exponent.
template <class T>
number_fault parse_number(std::string_view token, T& value);

// Parses the decimal number at the front of a text. Returns its end, or nullptr if there is no number or it is not
// finite.
template <class T>
const char* decimal_at(const char* p, const char* end, T& value);

// The text for a message that says which input was expected: "expected a finite number, got 'inf'".
const char* reason(number_fault fault);

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// The powers of ten that T represents exactly, and the number up to which T represents all whole numbers. If numerator
// and power are exact, their quotient is the correctly rounded number (Clinger's fast path).
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

// Parses a short decimal without exponent (12, -0.5, +3.). The text must have a character that is neither digit nor
// point after it. Returns its end, or nullptr if the number needs parse_number().
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

namespace mercer {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace mercer
