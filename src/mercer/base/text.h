// Text: lists, lines, places for messages, quoting, UTF-8, and numbers as decimal text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// "a, b, c": texts or numbers with something between them. (fmt::join would have fmt's whole formatter compiled into
// every source that uses it.)
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

// Text made safe for XML and HTML, in elements and attributes.
std::string xml_escaped(std::string_view text);

// Numbers as decimal text, independent of the locale and fast enough for files of millions of them.

inline constexpr int longest_decimal = 32;  // characters any of these may write

// Each writes at `to`, without a terminating zero, and returns the end.
// As printf's %.<digits>g.
char* write_general(char* to, double value, int digits);
// The shortest text that reads back as the same number; where at most 8 digits do (of a number that is not denormal),
// exactly as printf's %.8g below 1e8.
char* write_shortest(char* to, double value);
char* write_whole(char* to, long long value);

namespace detail {

// "file:line:column" of a byte; lines and columns (bytes) count from 1.
std::string place(const std::string& name, std::string_view text, std::size_t offset);

// 'token', with what is not printable escaped, cut after 40 bytes.
std::string quoted(std::string_view token);

[[noreturn]] void fail_at(errc code, const std::string& name, std::string_view text, std::size_t offset,
                          const std::string& message);

// How many times each of two characters occurs.
struct two_counts {
    index first = 0, second = 0;
};
two_counts count_two(std::string_view text, char first, char second);

// Text without the byte order mark some editors put in front.
std::string_view without_mark(std::string_view text);

// Text without blanks, tabs and carriage returns at its ends.
std::string_view trimmed(std::string_view text);

// The parts between separators, trimmed.
std::vector<std::string_view> split(std::string_view line, std::string_view separators);

// Is it written as a number, whatever its size?
bool is_number(std::string_view token);

// Takes the next line off the front of `rest`, without its line end (\n or \r\n). False at the end.
bool next_line(std::string_view& rest, std::string_view& line);

// Whether a text is UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);
// A name as UTF-8: bytes that are not are taken as Latin-1, so that the same name is the same in every file.
std::string as_utf8(std::string_view name);

// Is it an empty field, NA, N/A, nan, null or "?"
bool is_missing(std::string_view field);

// Decimal numbers in text, correctly rounded and independent of the locale.

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

// Letters to insert, drop or replace and neighbours to exchange, to make one word of the other.
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

// Of these the closest to the word, when so close, or so well begun, that it is likely what was meant; else empty.
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
