#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "contracts/property.h"
#include "mercer/base/text.h"

namespace mercer {
namespace {

std::string shortest(double value) {
    char text[max_decimal_length];
    return {text, write_shortest(text, value)};
}
std::string general(double value, int digits) {
    char text[max_decimal_length];
    return {text, write_general(text, value, digits)};
}
std::string printed(const char* format, int digits, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, digits, value);
    return text;
}
double from_bits(std::uint64_t bits) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

PROPERTY(decimal, shortest_reads_back) {
    const auto bits = arbitrary::any<std::uint64_t>();
    const double value = from_bits(bits);
    arbitrary::require_precondition(std::isfinite(value));
    const std::string text = shortest(value);
    const double back = std::strtod(text.c_str(), nullptr);
    MUST_HOLD(back == value);
    MUST_HOLD(std::signbit(back) == std::signbit(value));
}

PROPERTY(decimal, eight_digits_are_written_as_printf_does) {
    const auto digits = arbitrary::any<int>();
    const auto places = arbitrary::any<std::uint8_t>();
    const double value = static_cast<double>(digits % 100000000) / std::pow(10.0, places % 12);
    arbitrary::require_precondition(value == 0 || std::abs(value) >= 1e-4);
    const double decimal = std::strtod(printed("%.*g", 8, value).c_str(), nullptr);
    if (decimal == value) MUST_HOLD(shortest(value) == printed("%.*g", 8, value));
    MUST_HOLD(std::strtod(shortest(value).c_str(), nullptr) == value);
}

PROPERTY(decimal, general_is_printf) {
    const auto bits = arbitrary::any<std::uint64_t>();
    const double value = from_bits(bits);
    arbitrary::require_precondition(std::isfinite(value));
    MUST_HOLD(general(value, 17) == printed("%.*g", 17, value));
    MUST_HOLD(general(value, 6) == printed("%.*g", 6, value));
}

TEST(decimal, edges) {
    for (const double value : {0.0, -0.0, 1.0, -1.0, 0.1, 1e-4, 9.9999e-5, 99999999.0, 99999998.5, 1e8, 123456789.0,
                               0.30000000000000004, 5e-324, 1.7976931348623157e308, 0.99999999, 9.9999999}) {
        EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value) << shortest(value);
        if (std::strtod(printed("%.*g", 8, value).c_str(), nullptr) == value && std::abs(value) < 1e8 &&
            (value == 0 || std::isnormal(value))) {
            EXPECT_EQ(shortest(value), printed("%.*g", 8, value));
        }
    }
    EXPECT_EQ(shortest(0.1), "0.1");
    EXPECT_EQ(shortest(-12.5), "-12.5");
    EXPECT_EQ(shortest(0), "0");
    EXPECT_LE(general(-std::numeric_limits<double>::min(), 17).size(), static_cast<std::size_t>(max_decimal_length));
}

}  // namespace
}  // namespace mercer
