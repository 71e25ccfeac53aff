#include "mercer/base/decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace mercer {
namespace {

std::string shortest(double value) {
    char text[longest_decimal];
    return {text, write_shortest(text, value)};
}
std::string general(double value, int digits) {
    char text[longest_decimal];
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

RC_GTEST_PROP(decimal, shortest_reads_back, (std::uint64_t bits)) {
    const double value = from_bits(bits);
    RC_PRE(std::isfinite(value));
    const std::string text = shortest(value);
    const double back = std::strtod(text.c_str(), nullptr);
    RC_ASSERT(back == value);
    RC_ASSERT(std::signbit(back) == std::signbit(value));
}

RC_GTEST_PROP(decimal, eight_digits_are_written_as_printf_does, (int digits, std::uint8_t places)) {
    const double value = static_cast<double>(digits % 100000000) / std::pow(10.0, places % 12);
    RC_PRE(value == 0 || std::abs(value) >= 1e-4);
    const double decimal = std::strtod(printed("%.*g", 8, value).c_str(), nullptr);
    if (decimal == value) RC_ASSERT(shortest(value) == printed("%.*g", 8, value));
    RC_ASSERT(std::strtod(shortest(value).c_str(), nullptr) == value);
}

RC_GTEST_PROP(decimal, general_is_printf, (std::uint64_t bits)) {
    const double value = from_bits(bits);
    RC_PRE(std::isfinite(value));
    RC_ASSERT(general(value, 17) == printed("%.*g", 17, value));
    RC_ASSERT(general(value, 6) == printed("%.*g", 6, value));
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
    EXPECT_LE(general(-std::numeric_limits<double>::min(), 17).size(), static_cast<std::size_t>(longest_decimal));
}

}  // namespace
}  // namespace mercer
