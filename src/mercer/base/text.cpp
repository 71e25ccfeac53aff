
#include "mercer/base/text.h"

#include <fast_float/fast_float.h>

#include <charconv>
#include <cmath>
#include <cstdint>

namespace mercer::detail {

template <class T>
number_fault parse_number(std::string_view token, T& value) {
    const char* first = token.data();
    const char* const last = first + token.size();
    const bool negative = first != last && *first == '-';
    if (first != last && (*first == '-' || *first == '+')) ++first;
    if (first == last || *first == '-' || *first == '+') return number_fault::syntax;
    T magnitude{};
    const auto result = fast_float::from_chars(first, last, magnitude);
    if (result.ptr != last) return number_fault::syntax;
    if (std::isnan(magnitude)) return number_fault::not_finite;
    if (std::isinf(magnitude))
        return is_digit(*first) || *first == '.' ? number_fault::overflow : number_fault::not_finite;
    // Versions of fast_float differ in whether 1e-400 is out of range. Here it is 0, as for strtod().
    if (result.ec == std::errc::invalid_argument) return number_fault::syntax;
    value = negative ? -magnitude : magnitude;
    return number_fault::none;
}

template <class T>
const char* decimal_at(const char* p, const char* end, T& value) {
    const bool negative = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    if (p == end || !(is_digit(*p) || *p == '.')) return nullptr;
    T magnitude{};
    const auto result = fast_float::from_chars(p, end, magnitude);
    if (result.ec != std::errc{} || !std::isfinite(magnitude)) return nullptr;
    value = negative ? -magnitude : magnitude;
    return result.ptr;
}

const char* reason(number_fault fault) {
    switch (fault) {
        case number_fault::not_finite: return "a finite number";
        case number_fault::overflow: return "a number within range";
        default: return "a number";
    }
}

template number_fault parse_number(std::string_view, double&);
template number_fault parse_number(std::string_view, float&);
template const char* decimal_at(const char*, const char*, double&);
template const char* decimal_at(const char*, const char*, float&);

}  // namespace mercer::detail

namespace mercer {
namespace {

constexpr double power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11};
constexpr std::uint64_t whole_power[] = {1,       10,       100,       1000,       10000,       100000,
                                         1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000};

}  // namespace

char* write_general(char* to, double value, int digits) {
    return std::to_chars(to, to + longest_decimal, value, std::chars_format::general, digits).ptr;
}

char* write_whole(char* to, long long value) { return std::to_chars(to, to + longest_decimal, value).ptr; }

char* write_shortest(char* to, double value) {
    const double size = std::abs(value);
    if (size >= 1e-4 && size < 99999999) {
        // 8 digits: m = round(size·10^places). If m/10^places, one correctly rounded division of exact numbers, equals
        // `size`, then the text reads back as the value, and no other text of at most 8 digits does.
        int places = 11;
        for (double limit = 1e-3; places > 0 && size >= limit; --places) limit *= 10;
        auto m = static_cast<std::uint64_t>(std::floor(size * power[places] + 0.5));
        if (static_cast<double>(m) / power[places] == size) {
            while (places > 0 && m % 10 == 0) m /= 10, --places;
            if (value < 0) *to++ = '-';
            to = std::to_chars(to, to + longest_decimal, m / whole_power[places]).ptr;
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
    return std::to_chars(to, to + longest_decimal, value).ptr;
}

}  // namespace mercer
