#include "mercer/preprocess/column_encoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "contracts/errors.h"

namespace mercer::testing {
namespace {

text_table table_of(std::string_view text) { return text_table::parse(file_contents("t.csv", text, nullptr)); }

using rows = std::vector<std::vector<double>>;

rows encoded(const column_encoder& by, std::string_view text, std::vector<std::string>* said = nullptr) {
    const std::vector<std::string> names = by.names();
    const dataset x =
        by.apply(text_table::parse(file_contents("t.csv", text, nullptr), {}, names), [&](const std::string& note) {
            if (said) said->push_back(note);
        });
    const dense<double> made = as_dense<double>(x);
    rows out;
    for (index i = 0; i < made.size(); ++i) out.emplace_back(made.row(i), made.row(i) + made.dims());
    return out;
}

const column_options plain{.missing = "fill", .scale = "none"};

TEST(column_encoder, makes_one_coordinate_for_each_category_and_fills_what_is_missing) {
    constexpr std::string_view text = "size,colour,y\n1,red,a\n3,,b\n,blue,a\n8,red,b\n";
    const column_encoder by = column_encoder::fit(table_of(text), 2, plain);
    EXPECT_EQ(by.coordinate_names(),
              (std::vector<std::string>{"size", "size missing", "colour=blue", "colour=red", "colour missing"}));
    // the median of 1, 3, 8 is 3; red is the most frequent colour
    EXPECT_EQ(encoded(by, text), (rows{{1, 0, 0, 1, 0}, {3, 0, 0, 1, 1}, {3, 1, 1, 0, 0}, {8, 0, 0, 1, 0}}));
}

TEST(column_encoder, finds_columns_by_name_and_tells_what_is_new) {
    const column_encoder by = column_encoder::fit(table_of("size,colour,y\n1,red,a\n3,blue,b\n5,red,a\n"), 2, plain);
    std::vector<std::string> said;
    EXPECT_EQ(encoded(by, "more,colour,size\n7,green,2\n7,blue,\n", &said), (rows{{2, 0, 0}, {3, 1, 0}}));
    ASSERT_EQ(said.size(), 3u);
    EXPECT_NE(said[0].find("more"), std::string::npos);
    EXPECT_NE(said[1].find("size: 1 of 2 values are missing"), std::string::npos);
    EXPECT_NE(said[2].find("'green'"), std::string::npos);
    expect_error(errc::data, ": the column 'colour' is missing: the data", [&] { encoded(by, "size\n2\n"); });
}

TEST(column_encoder, takes_columns_by_position_without_a_header) {
    const column_encoder by = column_encoder::fit(table_of("1,a,2\n3,b,5\n2,a,4\n"), 1, plain);
    EXPECT_EQ(by.target(), "1");
    EXPECT_EQ(encoded(by, "6,a,7\n"), (rows{{6, 7}}));
    EXPECT_EQ(encoded(by, "6,7\n"), (rows{{6, 7}}));
    expect_error(errc::data, "expected 3 columns", [&] { encoded(by, "6\n"); });
}

TEST(column_encoder, standardises_numbers_and_nothing_else) {
    constexpr std::string_view text = "size,colour\n1,red\n3,blue\n5,red\n";
    const column_encoder by = column_encoder::fit(table_of(text), std::nullopt, {});
    const double sd = std::sqrt(8.0 / 3);
    const rows got = encoded(by, text);
    EXPECT_DOUBLE_EQ(got[0][0], -2 / sd);
    EXPECT_EQ(got[1][0], 0);
    EXPECT_DOUBLE_EQ(got[2][0], 2 / sd);
    EXPECT_EQ(got[0][1] + got[0][2], 1);
    const column_encoder within =
        column_encoder::fit(table_of(text), std::nullopt, {.missing = "fill", .scale = "minmax"});
    EXPECT_EQ(encoded(within, text)[0][0], -1);
    EXPECT_EQ(encoded(within, text)[2][0], 1);
}

TEST(column_encoder, leaves_out_what_says_nothing) {
    std::string text = "id,always,nothing,name,x\n";
    for (int i = 1; i <= 20; ++i)
        text += std::to_string(i) + ",7,,n" + std::to_string(i) + "," + std::to_string(i % 3) + "\n";
    const column_encoder by = column_encoder::fit(table_of(text), std::nullopt, plain);
    EXPECT_EQ(by.coordinate_names(), std::vector<std::string>{"x"});
    EXPECT_EQ(by.rules()[0].why, "it numbers the rows");
    EXPECT_EQ(by.rules()[1].why, "always 7");
    EXPECT_EQ(by.rules()[2].why, "no values");
    EXPECT_EQ(by.rules()[3].why, "20 of 20 values are different: names or identifiers");
    expect_error(errc::data, "no column can be used as a feature",
                 [] { column_encoder::fit(table_of("a,y\n1,2\n1,3\n"), 1, plain); });
}

TEST(column_encoder, counts_a_word_among_numbers_as_missing_and_no_other) {
    std::string text = "x,y\nnone,1\n";
    for (int i = 0; i < 20; ++i) text += std::to_string(i * i) + ",0\n";
    const column_encoder by = column_encoder::fit(table_of(text), 1, plain);
    EXPECT_EQ(by.rules()[0].missing, 1);
    EXPECT_EQ(encoded(by, "x\nnone\n"), (rows{{90.5, 1}}));  // between 9² and 10²
    expect_error(errc::data, "t.csv:2:1: row 1, column 'x': expected a number, got 'other'",
                 [&] { encoded(by, "x\nother\n"); });
}

TEST(column_encoder, refuses_missing_values_where_that_is_asked_for) {
    const column_options refuse{.missing = "refuse", .scale = "none"};
    expect_error(errc::data, "t.csv:3:3: row 2, column 'b': missing value 'NA'",
                 [&] { column_encoder::fit(table_of("a,b\n1,2\n2,NA\n"), std::nullopt, refuse); });
    const column_encoder by = column_encoder::fit(table_of("a,b\n1,2\n2,3\n"), std::nullopt, refuse);
    expect_error(errc::data, "row 1, column 'a': missing value", [&] { encoded(by, "a,b\n,2\n"); });
    expect_error(errc::data, "expected a finite number, got 'inf'",
                 [] { column_encoder::fit(table_of("a,b\n1,2\n2,inf\n"), std::nullopt, plain); });
}

TEST(column_encoder, comes_back_from_its_file) {
    std::string text = "age,colour,born,note,y\n";
    for (int i = 0; i < 30; ++i)
        text += (i % 7 ? std::to_string(0.1 * i * i) : "") + "," + (i % 3 ? "red" : "blau\xe4") + ",2020-0" +
                std::to_string(1 + i % 9) + "-1" + std::to_string(i % 10) + ",the quick fox " + std::to_string(i) +
                ",1\n";
    const column_encoder by = column_encoder::fit(table_of(text), 4, {});
    EXPECT_EQ(by.rules()[3].kind, column_kind::texts);
    EXPECT_EQ(by.rules()[2].kind, column_kind::dates);
    const column_encoder again = column_encoder::from_json(by.to_json(), "m");
    EXPECT_EQ(again.to_json(), by.to_json());
    EXPECT_EQ(again.coordinate_names(), by.coordinate_names());
    EXPECT_EQ(encoded(again, text), encoded(by, text));
    expect_error(errc::parse, "m: ", [] { column_encoder::from_json("{}", "m"); });
}

TEST(text_table, knows_a_header_of_texts_above_texts) {
    EXPECT_TRUE(table_of("colour,size\nred,L\nblue,L\nred,S\n").has_header());
    EXPECT_FALSE(table_of("red,L\nblue,L\nred,S\nred,M\n").has_header());
    EXPECT_EQ(table_of("\xef\xbb\xbf"
                       "a,b\r\n1,\"x, \"\"y\"\"\"\r\n")
                  .at(0, 1),
              "x, \"y\"");
    expect_error(errc::data, "expected at least one row", [] { table_of(""); });
    expect_error(errc::data, "expected at least one row", [] { table_of("a,b\n"); });
    expect_error(errc::parse, "expected 2 fields, got 1", [] { table_of("a,b\n1,2\n1\n"); });
}

}  // namespace
}  // namespace mercer::testing
