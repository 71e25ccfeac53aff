#include "mercer/io/csv.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "contracts/property.h"
#include "mercer/base/threads.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using matrix_rows = std::vector<std::vector<double>>;
using words = std::vector<std::string>;

std::string csv_fault(std::string_view text, const csv_options& options = {}) {
    return failure([&] { parse_csv(text, "f", options); });
}
const std::string hint =
    " (columns of text are not supported as vectors: leave the column out, encode it as numbers, or name it as the "
    "target)";

TEST(csv, numbers_without_header) {
    for (const char* text :
         {"1,2.5\n-3e2,4\n", "1,2.5\r\n-3e2,4", "1;2.5\n-3e2;4\n", "1\t2.5\n-3e2\t4\n", " 1 , 2.5\n\n-3e2,\t4 \n\n",
          "\"1\",\"2.5\"\n\"-3e2\",4\n", "\xef\xbb\xbf+1,2.5\n-3e2,4\n"}) {
        const table t = parse_csv(text, "f");
        EXPECT_EQ(rows<double>(t.x), (matrix_rows{{1, 2.5}, {-300, 4}})) << text;
        EXPECT_TRUE(t.feature_names.empty());
        EXPECT_TRUE(t.y.empty());
    }
}

TEST(csv, header_is_found_and_named) {
    const table t = parse_csv("a,\"b, \"\"c\"\"\",d\n1,2,3\n4,5,6\n", "f");
    EXPECT_EQ(t.feature_names, (words{"a", "b, \"c\"", "d"}));
    EXPECT_EQ(rows<double>(t.x), (matrix_rows{{1, 2, 3}, {4, 5, 6}}));
}

TEST(csv, header_can_be_forced_either_way) {
    EXPECT_EQ(parse_csv("1,2\n3,4\n", "f", {.header = csv_header::present}).feature_names, (words{"1", "2"}));
    EXPECT_EQ(csv_fault("a,b\n3,4\n", {.header = csv_header::absent}),
              "bad data: f:1:1: row 1, column 1: expected a number, got 'a'" + hint);
}

TEST(csv, first_row_of_text_classes_is_no_header) {
    const table t = parse_csv("1,red\n2,blue\n", "f", {.label = "-1"});
    EXPECT_TRUE(t.feature_names.empty());
    EXPECT_EQ(t.class_names, (words{"blue", "red"}));
    EXPECT_EQ(t.y, (std::vector<double>{1, 0}));
    EXPECT_EQ(rows<double>(t.x), (matrix_rows{{1}, {2}}));
}

TEST(csv, missing_value_in_the_first_row_does_not_make_it_a_header) {
    EXPECT_EQ(csv_fault("?,2\n3,4\n"),
              "bad data: f:1:1: row 1, column 1: missing value '?': leave the row out, or impute the value");
}

TEST(csv, label_by_name_and_by_position) {
    const char* text = "a,y,b\n1,7,2\n3,8,4\n";
    for (const char* label : {"y", "1", "-2"}) {
        const table t = parse_csv(text, "f", {.label = label});
        EXPECT_EQ(t.y, (std::vector<double>{7, 8}));
        EXPECT_TRUE(t.class_names.empty());
        EXPECT_EQ(t.feature_names, (words{"a", "b"}));
        EXPECT_EQ(rows<double>(t.x), (matrix_rows{{1, 2}, {3, 4}}));
    }
    EXPECT_EQ(parse_csv("0,1\n5,6\n", "f", {.header = csv_header::present, .label = "1"}).y, (std::vector<double>{6}));
    EXPECT_EQ(csv_fault(text, {.label = "z"}),
              "invalid argument: f: target column 'z': the header has no column of this name");
    EXPECT_EQ(csv_fault("1,2\n", {.label = "z"}),
              "invalid argument: f: target column 'z': the file has no header, so a column can only be named by its "
              "position");
    EXPECT_EQ(csv_fault(text, {.label = "3"}),
              "invalid argument: f: the position of the target column must satisfy -3 <= position < 3, got 3");
    EXPECT_EQ(csv_fault(text, {.label = "-4"}),
              "invalid argument: f: the position of the target column must satisfy -3 <= position < 3, got -4");
    EXPECT_EQ(csv_fault("y\n1\n", {.label = "y"}),
              "bad data: f: expected at least one column beside the target, got none");
}

TEST(csv, two_columns_of_one_name_are_refused) {
    const std::string fault = "bad data: f: columns 1 and 3 have the same name 'a': rename one of them, or remove it";
    for (const char* label : {"", "a", "b", "0"})
        EXPECT_EQ(csv_fault("a,b,a\n1,2,3\n4,5,6\n", {.label = label}), fault);
    EXPECT_EQ(csv_fault("a,b,a\n1,x,3\n4,y,6\n", {.text = "b"}), fault);
    const auto table_fault = [](const char* text) {
        return failure([&] { text_table::parse(file_contents("f", text, nullptr)); });
    };
    EXPECT_EQ(table_fault("a,b,a\n1,x,3\n4,x,6\n7,y,8\n"), fault);
    // Columns without names cannot be confused with each other.
    EXPECT_EQ(parse_csv("a,,,b\n1,2,3,4\n", "f", {.header = csv_header::present}).feature_names,
              (words{"a", "", "", "b"}));
}

TEST(csv, known_classes_keep_their_numbers) {
    EXPECT_EQ(parse_csv("1,b\n2,b\n", "f", {.label = "1", .classes = {"c", "b", "a"}}).y, (std::vector<double>{1, 1}));
    EXPECT_EQ(csv_fault("1,b\n2,x\n", {.label = "1", .classes = {"c", "b"}}),
              "bad data: f:2:3: expected one of the 2 known classes, got 'x'");
}

TEST(csv, quoted_fields_may_hold_separators_and_line_ends) {
    const table t = parse_csv("x,y\n1,\"a,\nb\"\n2,\"\"\"q\"\"\"\n", "f", {.label = "y"});
    EXPECT_EQ(t.class_names, (words{"\"q\"", "a,\nb"}));
    EXPECT_EQ(csv_fault("x,y\n1,\"a\nb\"\nz,c\n", {.label = "y"}),
              "bad data: f:4:1: row 2, column 'x': expected a number, got 'z'" + hint);
}

TEST(csv, separator_is_guessed_from_several_rows) {
    EXPECT_EQ(rows<double>(parse_csv("a;b\n1;2\n", "f").x), (matrix_rows{{1, 2}}));
    EXPECT_EQ(parse_csv("\"a;b\",c\n1,2\n", "f").feature_names, (words{"a;b", "c"}));
    // With decimal commas the semicolon separates, and the number is refused.
    EXPECT_EQ(csv_fault("1,5;2,5\n3,5;4,5\n"), "bad data: f:1:1: row 1, column 1: expected a number, got '1,5'" + hint);
    EXPECT_EQ(csv_fault("1,2\n3,4\n", {.separator = ';'}),
              "bad data: f:1:1: row 1, column 1: expected a number, got '1,2'" + hint);
    EXPECT_EQ(csv_fault("1,2\n", {.separator = 'x'}),
              "invalid argument: the separator must be ',', ';' or a tab, got 'x'");
}

TEST(csv, missing_values_are_refused) {
    for (const std::string value : {"NA", "na", "nan", "NaN", "?", "null", "N/A"})
        EXPECT_EQ(csv_fault("a,b\n1,2\n3," + value + "\n"), "bad data: f:3:3: row 2, column 'b': missing value '" +
                                                                value + "': leave the row out, or impute the value");
    EXPECT_EQ(csv_fault("a,b\n1,2\n,3\n"),
              "bad data: f:3:1: row 2, column 'a': the field is empty, so the value is missing: leave the row out, or "
              "impute the value");
    EXPECT_EQ(csv_fault("1,2\n3,\n"),
              "bad data: f:2:3: row 2, column 2: the field is empty, so the value is missing: leave the row out, or "
              "impute the value");
    EXPECT_EQ(csv_fault("a,b\n1,x\n2,\n", {.label = "b"}),
              "bad data: f:3:3: row 2, column 'b': the field is empty, so the value is missing: leave the row out, or "
              "impute the value");
    EXPECT_EQ(csv_fault("a\tb\n1\t2\n\t\n"),
              "bad data: f:3:1: row 2, column 'a': the field is empty, so the value is missing: leave the row out, or "
              "impute the value");
}

TEST(csv, values_that_are_no_finite_numbers_are_refused) {
    EXPECT_EQ(csv_fault("a,b\n1,2\n3,inf\n"),
              "bad data: f:3:3: row 2, column 'b': expected a finite number, got 'inf'");
    EXPECT_EQ(csv_fault("a,b\n1,2\n3,1e999\n"),
              "bad data: f:3:3: row 2, column 'b': expected a number within range, got '1e999'");
    EXPECT_EQ(csv_fault("a,b\n1,2\n3,4x\n"), "bad data: f:3:3: row 2, column 'b': expected a number, got '4x'" + hint);
    EXPECT_EQ(csv_fault("a,b\n1,2\n3,inf\n", {.label = "b"}),
              "bad data: f:3:3: row 2, column 'b': expected a finite number, got 'inf'");
}

TEST(csv, ragged_rows_are_refused) {
    EXPECT_EQ(csv_fault("a,b\n1,2\n3\n"), "parse error: f:3:1: row 2: expected 2 fields, got 1");
    EXPECT_EQ(csv_fault("1,2\n3,4,5\n"), "parse error: f:2:1: row 2: expected 2 fields, got 3");
    EXPECT_EQ(csv_fault("a,b,c\n1,2\n"), "parse error: f:2:1: row 1: expected 3 fields, got 2");
}

TEST(csv, quotes_out_of_place_are_refused) {
    EXPECT_EQ(csv_fault("1,\"2\n3,4\n"), "parse error: f:1:3: expected a closing '\"', got the end of the file");
    EXPECT_EQ(csv_fault("1,\"2\"3\n"),
              "parse error: f:1:6: expected a separator or the line end after the closing '\"', got '3'");
    EXPECT_EQ(csv_fault("1,2\"3\n"), "parse error: f:1:4: expected no '\"' inside a field without quotes");
}

TEST(csv, nothing_is_an_error) {
    for (const char* text : {"", "\n\n", "a,b\n", "a,b"})
        EXPECT_EQ(csv_fault(text), "bad data: f: expected at least one row of data, got none") << text;
}

TEST(csv, floats) {
    const table t = parse_csv("0.1,16777217\n", "f", {.numbers = precision::f32});
    EXPECT_EQ(rows<float>(t.x), (std::vector<std::vector<float>>{{0.1f, 16777216.0f}}));
    EXPECT_EQ(csv_fault("1e39\n", {.numbers = precision::f32}),
              "bad data: f:1:1: row 1, column 1: expected a number within range, got '1e39'");
}

TEST(csv, iris_is_the_same_as_in_libsvm_form) {
    const table t = read_csv(data_file("iris.csv"), {.label = "species"});
    EXPECT_EQ(t.class_names, (words{"setosa", "versicolor", "virginica"}));
    EXPECT_EQ(t.feature_names, (words{"sepal_length", "sepal_width", "petal_length", "petal_width"}));
    EXPECT_EQ(t.x.size(), 150);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(std::count(t.y.begin(), t.y.end(), k), 50);
    EXPECT_EQ(rows<double>(t.x)[0], (std::vector<double>{5.1, 3.5, 1.4, 0.2}));
}

TEST(csv, a_field_is_quoted_only_where_it_has_to_be) {
    EXPECT_EQ(format_csv_field("setosa"), "setosa");
    EXPECT_EQ(format_csv_field("red, dark"), "\"red, dark\"");
    EXPECT_EQ(format_csv_field("a \"b\""), "\"a \"\"b\"\"\"");
    EXPECT_EQ(format_csv_field("two\nlines"), "\"two\nlines\"");
    EXPECT_EQ(format_csv_field(" x"), "\" x\"");
    EXPECT_EQ(format_csv_field(""), "");
}

TEST(csv, names_in_latin_1_are_those_in_utf_8) {
    const csv_options by_name{.label = "couleur ros\xc3\xa9"};
    for (const char* letter : {"\xe9", "\xc3\xa9"}) {
        const table t = parse_csv(fmt::format("taill{0},couleur ros{0}\n1,fonc{0}\n2,clair\n", letter), "f", by_name);
        EXPECT_EQ(t.feature_names, (words{"taill\xc3\xa9"}));
        EXPECT_EQ(t.class_names, (words{"clair", "fonc\xc3\xa9"}));
    }
    EXPECT_EQ(parse_csv("x,ros\xe9\n1,2\n", "f", {.label = "ros\xe9"}).y, (std::vector<double>{2}));
    // invalid UTF-8: overlong forms, a surrogate, a code point that is too large, incomplete sequences
    for (const char* bad : {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
        const std::string name =
            parse_csv(std::string("v,c\n1,x") + bad + "\n", "f", {.header = csv_header::present, .label = "c"})
                .class_names.at(0);
        EXPECT_EQ(name.size(), 1 + 2 * std::string_view(bad).size()) << name;
    }
}

TEST(csv, what_is_written_is_read) {
    EXPECT_TRUE(arbitrary::holds("a random table with random class names survives quoting", [] {
        const int n = arbitrary::integer(1, 10);
        const int d = arbitrary::integer(1, 5);
        const char separator = arbitrary::one_of({',', ';', '\t'});
        std::string text;
        for (int j = 0; j < d; ++j) text += fmt::format("x{}{}", j, separator);
        text += "class\n";
        matrix_rows expected;
        words labels;
        for (int i = 0; i < n; ++i) {
            expected.push_back(arbitrary::reals(static_cast<std::size_t>(d)));
            for (const double value : expected.back()) text += fmt::format("{}{}", value, separator);
            labels.push_back("c" + arbitrary::some_text("a\",;\n\r \t"));
            text += format_csv_field(labels.back()) + "\n";
        }
        const table t = parse_csv(text, "f", {.separator = separator, .header = csv_header::present, .label = "class"});
        MUST_HOLD(rows<double>(t.x) == expected);
        for (int i = 0; i < n; ++i)
            MUST_HOLD(t.class_names[static_cast<std::size_t>(t.y[static_cast<std::size_t>(i)])] ==
                      labels[static_cast<std::size_t>(i)]);
    }));
}

// Larger than the chunks that threads parse.
std::string long_csv(const std::string& row, std::size_t rows) {
    std::string text;
    for (std::size_t r = 0; r < rows; ++r) text += row;
    return text;
}

TEST(csv, pieces_are_the_same_for_any_number_of_threads) {
    const int before = threads();
    std::string text = "a,\"b \"\"quoted\"\"\",class,c\n";
    std::mt19937_64 random(7);
    std::vector<double> want;
    std::vector<std::string> classes;
    const char* const names[] = {"red", "\"deep, blue\"", "\"two\nlines\"", "\"a \"\"word\"\"\"", " green "};
    const char* const plain[] = {"red", "deep, blue", "two\nlines", "a \"word\"", "green"};
    const char* const ends[] = {"\n", "\r\n", "\n\n", " \n \n"};
    for (std::size_t r = 0; r < 60000; ++r) {
        const double a = static_cast<double>(random() % 100000) / 1000,
                     b = std::ldexp(static_cast<double>(random()), -70), c = static_cast<double>(random() % 7) - 3;
        const std::size_t k = random() % 5;
        const char* const end = ends[random() % 100 ? 0 : random() % 4];
        text += random() % 50 ? fmt::format("{},{},{},{}{}", a, b, names[k], c, end)
                              : fmt::format(" {} ,\"{}\", {} ,{}{}", a, b, names[k], c, end);
        want.insert(want.end(), {a, b, c});
        classes.push_back(plain[k]);
    }
    for (const int count : {1, 2, 3, 8}) {
        set_threads(count);
        for (const bool ended : {true, false}) {
            while (!ended && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
            const table t = parse_csv(text, "f", {.label = "class"});
            ASSERT_EQ(t.x.size(), 60000);
            const auto& x = *t.x.as<dense<double>>();
            EXPECT_TRUE(std::equal(want.begin(), want.end(), x.row(0)));
            for (std::size_t r = 0; r < classes.size(); ++r)
                ASSERT_EQ(t.class_names[static_cast<std::size_t>(t.y[r])], classes[r]) << r;
        }
    }
    set_threads(before);
}

TEST(csv, the_first_fault_of_a_long_file_is_told_with_its_row_and_place) {
    const std::string row = "1.25,2,3\n";
    const std::string much = long_csv(row, 400000);
    const auto at = [&](std::size_t line, std::size_t column, const std::string& rest) {
        return fmt::format("f:{}:{}: {}", line, column, rest);
    };
    for (const std::size_t good : {1, 100, 131072, 399999}) {
        const std::string front = long_csv(row, good);
        const std::size_t line = good + 1;
        EXPECT_EQ(csv_fault(front + "1,x,3\n" + much + "1,2\n" + much),
                  "bad data: " + at(line, 3, fmt::format("row {}, column 2: expected a number, got 'x'", line)) + hint);
        EXPECT_EQ(csv_fault(front + "\n\n1,2\n" + much + "1,x,3\n"),
                  "parse error: " + at(line + 2, 1, fmt::format("row {}: expected 3 fields, got 2", line)));
        if (good > 10) {
            EXPECT_EQ(csv_fault(front + "1,\"2,3\n" + much),
                      "parse error: " + at(line, 3, "expected a closing '\"', got the end of the file"));
            EXPECT_EQ(csv_fault(front + "1,2\"2\",3\n" + much),
                      "parse error: " + at(line, 4, "expected no '\"' inside a field without quotes"));
            EXPECT_EQ(csv_fault(front + "1,2,\"3\n" + much + "\"x\n" + much).substr(0, 25),
                      ("parse error: " + at(line + 400000 + 1, 2, "")).substr(0, 25));
            EXPECT_EQ(csv_fault(front + much + "1,,3"),
                      "bad data: " +
                          at(good + 400001, 3,
                             fmt::format(
                                 "row {}, column 2: the field is empty, so the value is missing: leave the row out, or "
                                 "impute the value",
                                 good + 400001)));
        }
    }
}

TEST(csv, many_blank_lines_take_no_room) {
    std::string row = "1";
    for (int c = 1; c < 1000; ++c) row += ",1";
    const std::string text = row + std::string(3000000, '\n') + row + "\n";
    EXPECT_EQ(parse_csv(text, "f").x.size(), 2);
}

TEST(csv, numbers_in_every_spelling_are_those_of_the_library) {
    for (const char* spelling :
         {"1", "-0", "+1.50", "1e5", "1E-5", "-1.e2", ".5", "9007199254740993", "0.1234567890123456789",
          "123456789012345678901234567890", "4.9e-324", "1.7976931348623157e308", "1e-400", "2.2250738585072011e-308",
          "0.000000000000000000000000001"}) {
        const table t =
            parse_csv(fmt::format("1,{0}\n{0},2\n3,\"{0}\"\n", spelling), "f", {.header = csv_header::absent});
        const double want = std::strtod(spelling, nullptr);
        EXPECT_EQ(rows<double>(t.x), (matrix_rows{{1, want}, {want, 2}, {3, want}})) << spelling;
        EXPECT_EQ(
            rows<float>(
                parse_csv(fmt::format("1,{}\n2,2\n",
                                      want == 0 || std::abs(want) > 1e38 || std::abs(want) < 1e-37 ? "1" : spelling),
                          "f", {.header = csv_header::absent, .numbers = precision::f32})
                    .x)[0][1],
            want == 0 || std::abs(want) > 1e38 || std::abs(want) < 1e-37 ? 1.0f : std::strtof(spelling, nullptr));
    }
}

}  // namespace
}  // namespace mercer
