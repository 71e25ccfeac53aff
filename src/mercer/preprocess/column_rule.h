// What becomes of one column of a table.
//
//   numbers     x ↦ (x - centre)/spread; a missing one is the median
//   categories  a coordinate for each value, 1 where it is that one (one-hot); a missing one is the most frequent, one
//               that the table of the fit did not have is none of them
//   dates       the day as a number; where they span years and weeks also the place in the year and in the week, as the
//               sine and cosine of an angle
//   texts       tf-idf of their words; a missing one has no words
//
// and where values are missing one more coordinate: 1 where it is. Only numbers and days are scaled: two rows of
// different category, or texts without a common word, are then as far apart (2, squared) as two independent numbers of
// variance 1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/io/csv.h"
#include "mercer/preprocess/text_features.h"

namespace mercer {

// Dates in text: 2024-03-01, 2024/03/01 12:30, 2024-03-01T12:30:15+02:00, 1.3.2024, 3/1/2024.

enum class date_order { year_first, day_first, month_first };

// Days since 1970-01-01, with a fraction for the time of day; none where the text is no date in that order.
std::optional<double> parse_date(std::string_view text, date_order order);

enum class column_kind { numbers, categories, dates, texts, left_out };

struct column_rule {
    std::string name;
    column_kind kind = column_kind::left_out;
    index missing = 0;              // in the table of the fit
    std::string why{};              // it is left out
    double fill = 0;                // the median
    double centre = 0, spread = 1;  // of numbers and days
    date_order order = date_order::year_first;
    bool year = false, week = false;
    std::vector<std::string> values{};  // of categories, sorted
    std::size_t most_frequent = 0;      // of them
    std::optional<text_features> words{};

    // "3 categories, one-hot; 12 missing, filled with 'red' and an indicator"
    std::string about() const;
    // The coordinates it gives, and their names: "colour=red", "age", "age missing".
    index width() const;
    std::vector<std::string> coordinates() const;
};

// Finds out what a column is, with its missing values; numbers are not scaled yet.
column_rule detect_column(const text_table& from, std::size_t column);

}  // namespace mercer
