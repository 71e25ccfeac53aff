#include "mercer/preprocess/dates.h"

#include <chrono>
#include <utility>

#include "mercer/base/number.h"

namespace mercer {
namespace {

// Takes `least` to `most` digits off the front.
std::optional<int> digits(std::string_view& rest, std::size_t least, std::size_t most) {
    int value = 0;
    std::size_t n = 0;
    while (n < rest.size() && n < most && detail::is_digit(rest[n])) value = 10 * value + (rest[n++] - '0');
    if (n < least) return std::nullopt;
    rest.remove_prefix(n);
    return value;
}

bool take(std::string_view& rest, char c) {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
}

// +02:00, -0530, Z or nothing, in minutes.
std::optional<int> zone(std::string_view& rest) {
    if (rest.empty() || take(rest, 'Z')) return 0;
    const bool west = rest.front() == '-';
    if (!take(rest, '+') && !take(rest, '-')) return std::nullopt;
    const auto hours = digits(rest, 2, 2);
    take(rest, ':');
    const auto minutes = rest.empty() ? std::optional(0) : digits(rest, 2, 2);
    if (!hours || !minutes || *hours > 14 || *minutes > 59) return std::nullopt;
    return (west ? -1 : 1) * (60 * *hours + *minutes);
}

// 12:30, 12:30:15, 12:30:15.5 and a zone, as a part of a day.
std::optional<double> time_of_day(std::string_view rest) {
    const auto hours = digits(rest, 1, 2);
    if (!hours || *hours > 23 || !take(rest, ':')) return std::nullopt;
    const auto minutes = digits(rest, 2, 2);
    if (!minutes || *minutes > 59) return std::nullopt;
    double seconds = 0;
    if (take(rest, ':')) {
        const auto whole = digits(rest, 2, 2);
        if (!whole || *whole > 60) return std::nullopt;
        seconds = *whole;
        if (take(rest, '.')) {
            double unit = 1;
            if (rest.empty() || !detail::is_digit(rest.front())) return std::nullopt;
            for (; !rest.empty() && detail::is_digit(rest.front()); rest.remove_prefix(1))
                seconds += (unit /= 10) * (rest.front() - '0');
        }
    }
    const auto offset = zone(rest);
    if (!offset || !rest.empty()) return std::nullopt;
    return (*hours * 3600.0 + (*minutes - *offset) * 60.0 + seconds) / 86400;
}

}  // namespace

std::optional<double> parse_date(std::string_view text, date_order order) {
    const bool year_first = order == date_order::year_first;
    const auto first = digits(text, year_first ? 4 : 1, year_first ? 4 : 2);
    if (!first || text.empty() || (text.front() != '-' && text.front() != '/' && text.front() != '.'))
        return std::nullopt;
    const char between = text.front();
    text.remove_prefix(1);
    const auto second = digits(text, 1, 2);
    if (!second || !take(text, between)) return std::nullopt;
    const auto third = digits(text, year_first ? 1 : 4, year_first ? 2 : 4);
    if (!third) return std::nullopt;
    int year = year_first ? *first : *third, month = *second, day = year_first ? *third : *first;
    if (order == date_order::month_first) std::swap(month, day);
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    const double days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
    if (text.empty()) return days;
    if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
    const auto time = time_of_day(text);
    return time ? std::optional(days + *time) : std::nullopt;
}

}  // namespace mercer
