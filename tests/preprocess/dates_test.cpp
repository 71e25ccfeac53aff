#include <gtest/gtest.h>

#include "mercer/preprocess/column_rule.h"

namespace mercer {
namespace {

TEST(dates, are_days_since_1970) {
    EXPECT_EQ(parse_date("1970-01-01", date_order::year_first), 0);
    EXPECT_EQ(parse_date("2000-03-01", date_order::year_first), 11017);  // 30 years of 365 days, 7 leap days, 31 + 29
    EXPECT_EQ(parse_date("1969/12/31", date_order::year_first), -1);
    EXPECT_EQ(parse_date("1.3.2000", date_order::day_first), 11017);
    EXPECT_EQ(parse_date("3/1/2000", date_order::month_first), 11017);
}

TEST(dates, have_times_and_zones) {
    EXPECT_EQ(parse_date("1970-01-02T12:00", date_order::year_first), 1.5);
    EXPECT_EQ(parse_date("1970-01-02 06:00:00Z", date_order::year_first), 1.25);
    EXPECT_EQ(parse_date("1970-01-02T02:00:00.000+02:00", date_order::year_first), 1);
    EXPECT_EQ(parse_date("1970-01-01T19:00:00-0500", date_order::year_first), 1);
}

TEST(dates, refuse_everything_else) {
    for (const char* text : {"", "2000", "2000-13-01", "2001-02-29", "2000-01/02", "2000-01-02x", "2000-01-02T",
                             "2000-01-02T25:00", "2000-01-02T12:00+99:00", "20000101", "1.2.3", "a-b-c"})
        EXPECT_EQ(parse_date(text, date_order::year_first), std::nullopt) << text;
    EXPECT_EQ(parse_date("13/1/2000", date_order::month_first), std::nullopt);
}

}  // namespace
}  // namespace mercer
