#include "mercer/base/decimal.h"

#include <charconv>
#include <cmath>
#include <cstdint>

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
        // 8 digits: m = round(size·10^places). If m/10^places, one correctly rounded division of exact numbers, is the
        // value again, then so is the text; and no other text of at most 8 digits can be.
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
