#include "mercer/base/text.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace mercer {

std::string xml_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default:
                // Control characters are not allowed in XML, even escaped.
                out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
        }
    return out;
}

namespace {

constexpr double power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11};
constexpr std::uint64_t whole_power[] = {1,       10,       100,       1000,       10000,       100000,
                                         1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000};

}  // namespace

char* write_general(char* to, double value, int digits) {
    return std::to_chars(to, to + max_decimal_length, value, std::chars_format::general, digits).ptr;
}

char* write_integer(char* to, long long value) { return std::to_chars(to, to + max_decimal_length, value).ptr; }

char* write_shortest(char* to, double value) {
    const double size = std::abs(value);
    if (size >= 1e-4 && size < 99999999) {
        // Try 8 digits: m = round(size·10^places). If m/10^places, a correctly rounded division of exact numbers,
        // equals the value, the text m/10^places reads back as the value, and no other text of at most 8 digits does.
        int places = 11;
        for (double limit = 1e-3; places > 0 && size >= limit; --places) limit *= 10;
        auto m = static_cast<std::uint64_t>(std::floor(size * power[places] + 0.5));
        if (static_cast<double>(m) / power[places] == size) {
            while (places > 0 && m % 10 == 0) m /= 10, --places;
            if (value < 0) *to++ = '-';
            to = std::to_chars(to, to + max_decimal_length, m / whole_power[places]).ptr;
            if (places == 0) return to;
            *to++ = '.';
            std::uint64_t rest = m % whole_power[places];
            for (int at = places; at-- > 0; rest /= 10) to[at] = static_cast<char>('0' + rest % 10);
            return to + places;
        }
    }
    if (value == 0) {
        if (std::signbit(value)) *to++ = '-';
        *to++ = '0';
        return to;
    }
    return std::to_chars(to, to + max_decimal_length, value).ptr;
}

namespace detail {

std::string text_position(const std::string& name, std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto line_end = before.rfind('\n');
    const std::size_t column = line_end == std::string_view::npos ? offset + 1 : offset - line_end;
    return fmt::format("{}:{}:{}", name, line, column);
}

std::string quoted(std::string_view token) {
    constexpr std::size_t longest = 40;
    std::string out = "'";
    for (const char c : token.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
        else
            out += c;
    }
    out += token.size() > longest ? "...'" : "'";
    return out;
}

void fail_at(errc code, const std::string& name, std::string_view text, std::size_t offset,
             const std::string& message) {
    fail(code, fmt::format("{}: {}", text_position(name, text, offset), message));
}

// Counters of one byte, which overflow after 255 steps, let the compiler vectorise the loop over 64 bytes.
character_counts count_characters(std::string_view text, char first, char second) {
    character_counts total;
    const char* p = text.data();
    for (std::size_t left = text.size(); left > 0;) {
        const std::size_t block = std::min<std::size_t>(left, std::size_t{64} * 255);
        std::uint8_t firsts[64] = {};
        std::uint8_t seconds[64] = {};
        std::size_t k = 0;
        for (; k + 64 <= block; k += 64)
            for (std::size_t lane = 0; lane < 64; ++lane) {
                firsts[lane] = static_cast<std::uint8_t>(firsts[lane] + (p[k + lane] == first));
                seconds[lane] = static_cast<std::uint8_t>(seconds[lane] + (p[k + lane] == second));
            }
        for (std::size_t lane = 0; lane < 64; ++lane) {
            total.first += firsts[lane];
            total.second += seconds[lane];
        }
        for (; k < block; ++k) {
            total.first += p[k] == first;
            total.second += p[k] == second;
        }
        p += block;
        left -= block;
    }
    return total;
}

std::string_view without_byte_order_mark(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return text;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view line, std::string_view separators) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = line.find_first_of(separators);
        parts.push_back(trimmed(line.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        line.remove_prefix(end + 1);
    }
}

bool is_number(std::string_view token) {
    double value = 0;
    return parse_number(token, value) != number_error::syntax;
}

bool next_line(std::string_view& rest, std::string_view& line) {
    if (rest.empty()) return false;
    const auto end = rest.find('\n');
    line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

// RFC 3629 excludes overlong forms, surrogates and numbers above U+10FFFF.
bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at++]);
        if (lead < 0x80) continue;
        const std::size_t more = lead >= 0xc2 && lead <= 0xdf   ? 1
                                 : lead >= 0xe0 && lead <= 0xef ? 2
                                 : lead >= 0xf0 && lead <= 0xf4 ? 3
                                                                : 0;
        if (more == 0 || text.size() - at < more) return false;
        const auto second = static_cast<unsigned char>(text[at]);
        if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
            (lead == 0xf4 && second > 0x8f))
            return false;
        for (std::size_t k = 0; k < more; ++k, ++at)
            if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80) return false;
    }
    return true;
}

std::string to_utf8(std::string_view name) {
    if (is_utf8(name)) return std::string(name);
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) out += static_cast<char>(0xc0 | (byte >> 6));
        out += byte < 0x80 ? c : static_cast<char>(0x80 | (byte & 0x3f));
    }
    return out;
}

bool is_missing(std::string_view field) {
    if (field.empty() || field == "?") return true;
    if (field.size() > 4) return false;
    // All these words begin with n, possibly after a sign. Nearly all other fields have a digit there.
    const char first = field[field.size() > 1 && (field[0] == '-' || field[0] == '+')];
    if (first != 'n' && first != 'N') return false;
    std::string lower;
    for (const char c : field) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower == "na" || lower == "n/a" || lower == "nan" || lower == "-nan" || lower == "+nan" || lower == "null";
}

template <class T>
number_error parse_number(std::string_view token, T& value) {
    const char* first = token.data();
    const char* const last = first + token.size();
    const bool negative = first != last && *first == '-';
    if (first != last && (*first == '-' || *first == '+')) ++first;
    if (first == last || *first == '-' || *first == '+') return number_error::syntax;
    T magnitude{};
    const auto result = fast_float::from_chars(first, last, magnitude);
    if (result.ptr != last) return number_error::syntax;
    if (std::isnan(magnitude)) return number_error::not_finite;
    if (std::isinf(magnitude))
        return is_digit(*first) || *first == '.' ? number_error::overflow : number_error::not_finite;
    // Some versions of fast_float report 1e-400 as out of range; here it is 0, as in strtod.
    if (result.ec == std::errc::invalid_argument) return number_error::syntax;
    value = negative ? -magnitude : magnitude;
    return number_error::none;
}

template <class T>
const char* parse_leading_decimal(const char* p, const char* end, T& value) {
    const bool negative = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    if (p == end || !(is_digit(*p) || *p == '.')) return nullptr;
    T magnitude{};
    const auto result = fast_float::from_chars(p, end, magnitude);
    if (result.ec != std::errc{} || !std::isfinite(magnitude)) return nullptr;
    value = negative ? -magnitude : magnitude;
    return result.ptr;
}

const char* expected_text(number_error fault) {
    switch (fault) {
        case number_error::not_finite: return "a finite number";
        case number_error::overflow: return "a number within range";
        default: return "a number";
    }
}

template number_error parse_number(std::string_view, double&);
template number_error parse_number(std::string_view, float&);
template const char* parse_leading_decimal(const char*, const char*, double&);
template const char* parse_leading_decimal(const char*, const char*, float&);

}  // namespace detail
}  // namespace mercer
