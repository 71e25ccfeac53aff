// Dates in text: 2024-03-01, 2024/03/01 12:30, 2024-03-01T12:30:15+02:00, 1.3.2024, 3/1/2024.
#pragma once

#include <optional>
#include <string_view>

namespace mercer {

enum class date_order { year_first, day_first, month_first };

// Days since 1970-01-01, with a fraction for the time of day; none where the text is no date in that order.
std::optional<double> parse_date(std::string_view text, date_order order);

}  // namespace mercer
