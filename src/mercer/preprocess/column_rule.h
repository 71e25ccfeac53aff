// The encoding of one column of a table as coordinates of a vector.
//
//   numbers     x ↦ (x - centre)/spread; a missing value becomes the median
//   categories  one-hot: a coordinate for each value; a missing value becomes the most frequent one, a value that the
//               training table does not contain gives zeros
//   dates       the day as a number; if the dates span at least a year, also the position in the year, and if they span
//               two weeks, the position in the week, each as sine and cosine of an angle
//   texts       tf-idf of the words; a missing text has no words
//
// If the training column has missing values, one more coordinate is 1 where the value is missing. Only numbers and days
// are scaled: then two rows of different category, or two texts without a common word, have the squared distance 2,
// which is also the expected squared distance of two independent numbers of variance 1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/io/csv.h"
#include "mercer/preprocess/text_features.h"

namespace mercer {

// The order of the parts of a date: 2024-03-01, 2024/03/01 12:30, 2024-03-01T12:30:15+02:00; 1.3.2024; 3/1/2024.
enum class date_order { year_first, day_first, month_first };

// Returns the days since 1970-01-01, with the time of day (UTC) as fraction; none if the text is no date in this order.
std::optional<double> parse_date(std::string_view text, date_order order);

// The kind of a column, by which it is encoded (see above); left_out: not encoded.
enum class column_kind { numbers, categories, dates, texts, left_out };

// The encoding of one column, fitted to the training table.
struct column_rule {
    std::string name;
    column_kind kind = column_kind::left_out;
    index missing = 0;              // number of missing values in the training table
    std::string why{};              // the reason why the column is left out
    double fill = 0;                // numbers and dates: the median, in place of missing values
    double centre = 0, spread = 1;  // numbers and dates: x ↦ (x - centre)/spread
    date_order order = date_order::year_first;
    bool year = false, week = false;       // dates: encode the position in the year and in the week
    std::vector<std::string> values{};     // categories, sorted; numbers: the words that mean a missing number
    std::size_t most_frequent = 0;         // categories: position of the most frequent value in `values`
    std::optional<text_features> words{};  // texts

    // Returns a description of the rule: "3 categories, one-hot; 12 missing, the most frequent 'red' and an indicator".
    std::string describe() const;
    // The number of coordinates of the encoding, and their names: "colour=red", "age", "age missing".
    index width() const;
    std::vector<std::string> coordinate_names() const;
};

// Detects the kind of a column and how its missing values are filled. Centre and spread are 0 and 1: scaling is a later
// step.
column_rule detect_column(const text_table& from, std::size_t column);

}  // namespace mercer
