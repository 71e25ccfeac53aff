// Helpers for text: joined lists, XML escapes, lines and their positions for error messages, UTF-8, the nearest name
// for a misspelt one, and decimal numbers, which are read and written independently of the locale.
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

// Returns the items, texts or numbers, with `between` between them: "a, b, c". (fmt::join would instantiate the whole
// formatter of fmt in every source that uses it.)
template <class Range>
std::string join(const Range& items, std::string_view between) {
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

// Escapes text for XML and HTML, in elements and attributes. Control characters become blanks.
std::string xml_escaped(std::string_view text);

// The functions write_… write a number as decimal text at `to`, without a terminating zero, and return the end of the
// text. They are independent of the locale and fast enough for files of millions of numbers.
inline constexpr int max_decimal_length = 32;  // the largest number of characters that these functions write

// Writes like printf's %.<digits>g.
char* write_general(char* to, double value, int digits);
// Writes the shortest text that reads back as the same number. If 8 digits suffice for a number below 1e8 that is not
// denormal, the text is that of printf's %.8g.
char* write_shortest(char* to, double value);
char* write_integer(char* to, long long value);

namespace detail {

// Returns "file:line:column" of a byte in the text of file `name`. Lines and columns (in bytes) count from 1.
std::string text_position(const std::string& name, std::string_view text, std::size_t offset);

// Returns the token in single quotes for a message, with control characters escaped, cut after 40 bytes.
std::string quoted(std::string_view token);

// Throws an error with this code, whose message begins with text_position() of the byte `offset` of `text`.
[[noreturn]] void fail_at(errc code, const std::string& name, std::string_view text, std::size_t offset,
                          const std::string& message);

// The numbers of occurrences of two characters.
struct character_counts {
    index first = 0, second = 0;
};
// Counts both characters in one pass.
character_counts count_characters(std::string_view text, char first, char second);

// Returns the text without a UTF-8 byte order mark at its beginning.
std::string_view without_byte_order_mark(std::string_view text);

// Returns the text without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

// Returns the parts of the line between separators (any of the given characters), trimmed.
std::vector<std::string_view> split(std::string_view line, std::string_view separators);

// Returns true if the token is a decimal number, inf or nan, also one that is too large for a double.
bool is_number(std::string_view token);

// Removes the next line from the front of `rest` and returns it in `line` without its line end (\n or \r\n). Returns
// false at the end.
bool next_line(std::string_view& rest, std::string_view& line);

// Returns true if the text is valid UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);
// Returns a name as UTF-8. A name that is not valid UTF-8 is read as Latin-1, so that names from files in both
// encodings are equal.
std::string to_utf8(std::string_view name);

// Returns true for a field that means a missing value: empty, "?", or NA, N/A, nan or null in upper or lower case.
bool is_missing(std::string_view field);

// The reason why a token is not a number of the wanted type.
enum class number_error { none, syntax, not_finite, overflow };

// Parses a token that is a decimal number with or without exponent, correctly rounded and independent of the locale.
template <class T>
number_error parse_number(std::string_view token, T& value);

// Parses a number at the beginning of [p, end). Returns its end, or nullptr if there is no finite number.
template <class T>
const char* parse_leading_decimal(const char* p, const char* end, T& value);

// Returns what was expected in place of a faulty token, for a message "expected a finite number, got 'nan'".
const char* expected_text(number_error fault);

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// The powers of ten that T represents exactly, and the number 2^53 or 2^24 up to which T represents all whole numbers.
// If mantissa and power are exact, a single division rounds correctly (Clinger's fast path).
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

// Reads a short decimal without exponent (12, -0.5, +3.) from text in which a character other than a digit or a point
// follows. Returns the end of the number, or nullptr if parse_number() must parse it.
template <class T>
inline const char* parse_short_decimal(const char* p, T& value) {
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
    // 19 digits do not overflow 64 bits.
    if (count == 0 || count > 19 || digits > exact<T>::whole || fraction > exact<T>::powers) return nullptr;
    T magnitude = static_cast<T>(digits);
    if (fraction > 0) magnitude /= exact<T>::power[fraction];
    value = negative ? -magnitude : magnitude;
    return p;
}

// Returns the edit distance (optimal string alignment): the smallest number of operations that turn `a` into `b`, where
// an operation inserts, deletes or replaces a letter or exchanges two adjacent letters.
inline std::size_t edit_distance(const std::string& a, const std::string& b) {
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

// Returns the known name that a misspelt word probably means: one that begins with the word, or whose edit distance is
// smallest and at most max(2, a third of the letters). Returns an empty string if there is none.
inline std::string nearest_name(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const auto& each : known) {
        const bool begins = word.size() >= 2 && each.compare(0, word.size(), word) == 0;
        const bool long_one = word.size() > 64 || each.size() > 64;
        const std::size_t apart = begins ? 1 : long_one ? least : detail::edit_distance(word, each);
        if (apart < least && apart < each.size()) least = apart, best = each;
    }
    return best;
}

}  // namespace mercer
