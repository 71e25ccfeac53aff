#include "mercer/io/libsvm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "contracts/property.h"
#include "mercer/base/threads.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using entry_list = std::vector<entry>;

std::string libsvm_fault(std::string_view text, const libsvm_options& options = {}) {
    return failure([&] { parse_libsvm(text, "f", options); });
}

TEST(libsvm, rows_become_zero_based_columns) {
    const table t = parse_libsvm("+1 1:0.5 3:-2\n-1 2:1e3\n2.5\n", "f");
    EXPECT_EQ(t.y, (std::vector<double>{1, -1, 2.5}));
    EXPECT_EQ(t.x.size(), 3);
    EXPECT_EQ(t.x.dims(), 3);
    EXPECT_EQ(entries<double>(t.x), (entry_list{{0, 0, 0.5}, {0, 2, -2}, {1, 1, 1000}}));
    EXPECT_TRUE(t.class_names.empty());
    EXPECT_TRUE(t.feature_names.empty());
}

TEST(libsvm, blanks_comments_qid_crlf_and_the_byte_order_mark_do_not_matter) {
    const table plain = parse_libsvm("1 1:2 2:3\n-1 2:4\n", "f");
    for (const char* text : {"1 1:2 2:3\n-1 2:4", "1 1:2 2:3\r\n-1 2:4\r\n", "\n\n1\t1:2   2:3 \n \r\n-1 2:4 \t",
                             "# a:b c:d\n1 1:2 2:3# 7:8\n#\n-1 2:4#", "1 qid:10 1:2 2:3\n-1 qid:x 2:4\n",
                             "\xef\xbb\xbf+1 1:2 2:3\n-1 2:4\n", "  1 01:2. 002:+3\n-1.0 00000000000002:4e0\n"}) {
        const table t = parse_libsvm(text, "f");
        EXPECT_EQ(t.y, plain.y) << text;
        EXPECT_EQ(entries<double>(t.x), entries<double>(plain.x)) << text;
        EXPECT_EQ(t.x.dims(), 2) << text;
    }
}

TEST(libsvm, explicit_zeros_are_kept) {
    EXPECT_EQ(entries<double>(parse_libsvm("1 1:0 2:-0\n", "f").x), (entry_list{{0, 0, 0}, {0, 1, 0}}));
}

TEST(libsvm, largest_index_is_accepted) {
    EXPECT_EQ(parse_libsvm("1 2147483647:1\n", "f").x.dims(), 2147483647);
    EXPECT_EQ(parse_libsvm("1 2147483647:1\n", "f", {.base = index_base::zero}).x.dims(), 2147483648);
}

TEST(libsvm, index_base) {
    EXPECT_EQ(entries<double>(parse_libsvm("1 0:5 3:1\n", "f", {.base = index_base::zero}).x),
              (entry_list{{0, 0, 5}, {0, 3, 1}}));
    EXPECT_EQ(entries<double>(parse_libsvm("1 2:5\n1 0:1\n", "f", {.base = index_base::automatic}).x),
              (entry_list{{0, 2, 5}, {1, 0, 1}}));
    const table from_one = parse_libsvm("1 2:5\n1 1:1\n", "f", {.base = index_base::automatic});
    EXPECT_EQ(entries<double>(from_one.x), (entry_list{{0, 1, 5}, {1, 0, 1}}));
    EXPECT_EQ(from_one.x.dims(), 2);
    EXPECT_EQ(parse_libsvm("1\n2\n", "f", {.base = index_base::automatic}).x.dims(), 0);
}

TEST(libsvm, precomputed_rows_keep_the_serial_in_column_0) {
    const table t = parse_libsvm("1 0:1 1:4 2:6\n-1 0:2 2:18\n", "f", {.precomputed = true});
    EXPECT_EQ(entries<double>(t.x), (entry_list{{0, 0, 1}, {0, 1, 4}, {0, 2, 6}, {1, 0, 2}, {1, 2, 18}}));
    EXPECT_EQ(t.x.dims(), 3);
    EXPECT_EQ(
        libsvm_fault("1 1:4\n", {.precomputed = true}),
        "parse error: f:1:3: expected 0:serial (the number of the example, from 1) at the beginning of a row of a "
        "precomputed kernel, got '1:4'");
    EXPECT_EQ(libsvm_fault("1 0:1 1:2\n2\n", {.precomputed = true}),
              "parse error: f:2:2: expected 0:serial (the number of the example, from 1) after the label, got the end "
              "of the field");
}

TEST(libsvm, dims_can_be_asked_for) {
    EXPECT_EQ(parse_libsvm("1 2:1\n", "f", {.dims = 7}).x.dims(), 7);
    EXPECT_EQ(parse_libsvm("1 9:1\n", "f", {.dims = 7}).x.dims(), 9);
    EXPECT_EQ(libsvm_fault("1\n", {.dims = -1}), "invalid argument: dims must satisfy 0 <= dims, got -1");
}

TEST(libsvm, faults_are_named_with_their_place) {
    EXPECT_EQ(libsvm_fault("1 1:2\nabc 1:2\n"), "parse error: f:2:1: expected a label (a number), got 'abc'");
    EXPECT_EQ(libsvm_fault("1:2 2:3\n"), "parse error: f:1:1: expected a label (a number), got '1:2'");
    EXPECT_EQ(libsvm_fault("1 2:x\n"), "parse error: f:1:5: expected a value (a number), got 'x'");
    EXPECT_EQ(libsvm_fault("1 2:\n"), "parse error: f:1:5: expected a value (a number), got the end of the field");
    EXPECT_EQ(libsvm_fault("1 2:1.5.2"), "parse error: f:1:5: expected a value (a number), got '1.5.2'");
    EXPECT_EQ(libsvm_fault("1 2:1:3"), "parse error: f:1:5: expected a value (a number), got '1:3'");
    EXPECT_EQ(libsvm_fault("1 2:+-3"), "parse error: f:1:5: expected a value (a number), got '+-3'");
    EXPECT_EQ(libsvm_fault("1 2:0x10"), "parse error: f:1:5: expected a value (a number), got '0x10'");
    EXPECT_EQ(libsvm_fault("1 2:1e"), "parse error: f:1:5: expected a value (a number), got '1e'");
    EXPECT_EQ(libsvm_fault("1 2:."), "parse error: f:1:5: expected a value (a number), got '.'");
    EXPECT_EQ(libsvm_fault("1 2\n"), "parse error: f:1:3: expected index:value, got '2'");
    EXPECT_EQ(libsvm_fault("1 a:2\n"), "parse error: f:1:3: expected index:value, got 'a:2'");
    EXPECT_EQ(libsvm_fault("1 -1:2\n"), "parse error: f:1:3: expected index:value, got '-1:2'");
    EXPECT_EQ(libsvm_fault("1 :2\n"), "parse error: f:1:3: expected index:value, got ':2'");
    EXPECT_EQ(libsvm_fault("1 1,2\n"), "parse error: f:1:3: expected index:value, got '1,2'");
    EXPECT_EQ(
        libsvm_fault("1 0:2\n"),
        "parse error: f:1:3: expected an index >= 1 (0 only for a precomputed kernel or 0-based indices), got '0'");
    EXPECT_EQ(libsvm_fault("1 3:2 3:4\n"), "parse error: f:1:7: expected an index > 3 (indices must ascend), got '3'");
    EXPECT_EQ(libsvm_fault("1 3:2\t2:4\n"), "parse error: f:1:7: expected an index > 3 (indices must ascend), got '2'");
    EXPECT_EQ(libsvm_fault("1 2147483648:1\n"),
              "parse error: f:1:3: expected an index <= 2147483647, got '2147483648'");
    EXPECT_EQ(libsvm_fault("1 18446744073709551617:1\n"),
              "parse error: f:1:3: expected an index <= 2147483647, got '18446744073709551617'");
    EXPECT_EQ(libsvm_fault(std::string_view("1 1:\0\n", 6)),
              "parse error: f:1:5: expected a value (a number), got '\\x00'");
    EXPECT_EQ(libsvm_fault("1 1:" + std::string(50, 'z')),
              "parse error: f:1:5: expected a value (a number), got '" + std::string(40, 'z') + "...'");
}

TEST(libsvm, faults_in_a_last_line_without_end_have_their_place) {
    EXPECT_EQ(libsvm_fault("1 1:2\r\n\n1 1:2 2:q"), "parse error: f:3:9: expected a value (a number), got 'q'");
}

TEST(libsvm, nan_infinity_and_overflow_are_refused_by_name) {
    EXPECT_EQ(libsvm_fault("1 1:nan\n"), "parse error: f:1:5: expected a finite number, got 'nan'");
    EXPECT_EQ(libsvm_fault("NaN 1:1\n"), "parse error: f:1:1: expected a finite number, got 'NaN'");
    EXPECT_EQ(libsvm_fault("1 1:-inf\n"), "parse error: f:1:5: expected a finite number, got '-inf'");
    EXPECT_EQ(libsvm_fault("1 1:Infinity\n"), "parse error: f:1:5: expected a finite number, got 'Infinity'");
    EXPECT_EQ(libsvm_fault("1 1:1e400\n"), "parse error: f:1:5: expected a number within range, got '1e400'");
    EXPECT_EQ(libsvm_fault("1 1:1e39\n", {.numbers = precision::f32}),
              "parse error: f:1:5: expected a number within range, got '1e39'");
    EXPECT_EQ(entries<double>(parse_libsvm("1 1:1e-400\n", "f").x), (entry_list{{0, 0, 0}}));
}

TEST(libsvm, no_example_is_an_error) {
    for (const char* text : {"", "\n", "  \r\n\n", "# only a comment"})
        EXPECT_EQ(libsvm_fault(text), "bad data: f: expected at least one example, got none") << text;
}

TEST(libsvm, float_values_are_rounded_once) {
    // Slightly more than 1 + 2^-24: rounds up to 1 + 2^-23 in float, but to 1 if it is rounded to double first.
    const char* text = "1 1:1.0000000596046447754 2:16777217 3:0.1\n";
    const auto got = entries<float>(parse_libsvm(text, "f", {.numbers = precision::f32}).x);
    EXPECT_EQ(got[0].value, static_cast<double>(std::strtof("1.0000000596046447754", nullptr)));
    EXPECT_EQ(got[1].value, 16777216.0);
    EXPECT_EQ(got[2].value, static_cast<double>(0.1f));
}

TEST(libsvm, numbers_are_those_of_strtod) {
    std::mt19937_64 random(1);
    for (int k = 0; k < 20000; ++k) {
        std::string number = random() % 2 ? "-" : "";
        const auto digits = 1 + random() % 21;
        const auto point = random() % (digits + 1);
        for (std::uint64_t d = 0; d < digits; ++d) {
            if (d == point) number += '.';
            number += static_cast<char>('0' + random() % 10);
        }
        if (random() % 4 == 0) number += fmt::format("e{}", static_cast<int>(random() % 500) - 250);
        const table t = parse_libsvm("0 1:" + number + "\n", "f");
        const double expected = std::strtod(number.c_str(), nullptr);
        const double got = t.x.as<sparse<double>>()->values(0)[0];
        ASSERT_EQ(std::memcmp(&got, &expected, sizeof(double)), 0) << number;
    }
}

// A random file of several chunks with comments and blank lines, so that the parsed chunks have to be moved together.
std::string long_libsvm(std::size_t bytes) {
    std::mt19937_64 random(7);
    std::string text;
    while (text.size() < bytes) {
        text += fmt::format("{}", static_cast<int>(random() % 5) - 2);
        int column = 0;
        for (auto left = random() % 12; left > 0; --left)
            text += fmt::format(" {}:{}", column += 1 + static_cast<int>(random() % 50),
                                static_cast<double>(random() % 100000) / 1000);
        if (random() % 8 == 0) text += " # 1:2 3:4";
        text += random() % 16 == 0 ? "\r\n\n" : "\n";
    }
    return text;
}

// The result of a reader that reads line by line.
std::vector<entry> slow_entries(const std::string& text, std::vector<double>& y) {
    std::vector<entry> out;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string word;
        if (!(words >> word)) continue;
        y.push_back(std::stod(word));
        while (words >> word)
            out.push_back(
                {static_cast<index>(y.size()) - 1, std::stol(word) - 1, std::stod(word.substr(word.find(':') + 1))});
    }
    return out;
}

TEST(libsvm, result_does_not_depend_on_the_number_of_threads) {
    const std::string text = long_libsvm(3 << 20);
    std::vector<double> y;
    const auto expected = slow_entries(text, y);
    const int before = threads();
    for (const int count : {1, 2, 3}) {
        set_threads(count);
        const table t = parse_libsvm(text, "f");
        EXPECT_TRUE(t.y == y) << count;
        EXPECT_TRUE(entries<double>(t.x) == expected) << count;
    }
    set_threads(before);
}

TEST(libsvm, first_fault_is_reported_for_any_number_of_threads) {
    std::string text = long_libsvm(3 << 20);
    std::vector<std::size_t> places;
    for (const std::size_t part : {2, 4, 5}) {
        const std::size_t place = text.find(" ", text.size() * part / 6) + 1;
        places.push_back(place);
        text[place] = 'X';
    }
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(places[0]), '\n');
    const int before = threads();
    for (const int count : {1, 2, 3}) {
        set_threads(count);
        EXPECT_TRUE(libsvm_fault(text).starts_with(fmt::format("parse error: f:{}:", line))) << libsvm_fault(text);
    }
    set_threads(before);
}

TEST(libsvm, what_is_written_is_read) {
    EXPECT_TRUE(arbitrary::holds("a random sparse matrix written as text is read back exactly", [] {
        const int rows = arbitrary::integer(1, 20);
        std::string text;
        entry_list expected;
        std::vector<double> y;
        for (int i = 0; i < rows; ++i) {
            y.push_back(arbitrary::real());
            text += fmt::format("{}", y.back());
            int column = 0;
            for (const double value : arbitrary::some_reals()) {
                column += arbitrary::integer(1, 1000);
                text += fmt::format(" {}:{}", column, value);
                expected.push_back({i, column - 1, value});
            }
            text += arbitrary::one_of<std::string>({"\n", "\r\n", " #\n"});
        }
        const table t = parse_libsvm(text, "f");
        MUST_HOLD(t.y == y);
        MUST_HOLD(entries<double>(t.x) == expected);
    }));
}

TEST(libsvm, real_files_have_their_published_sizes) {
    const table heart = read_libsvm(data_file("heart_scale.svm"));
    EXPECT_EQ(heart.x.size(), 270);
    EXPECT_EQ(heart.x.dims(), 13);
    EXPECT_EQ(std::count(heart.y.begin(), heart.y.end(), 1.0), 120);
    const table housing = read_libsvm(data_file("housing.svm"));
    EXPECT_EQ(housing.x.size(), 506);
    EXPECT_EQ(housing.x.dims(), 13);
#ifdef MERCER_HAVE_LZMA
    const table digits = read_libsvm(data_file("digits.svm.xz"));
    EXPECT_EQ(digits.x.size(), 1797);
    EXPECT_EQ(digits.x.dims(), 64);
#endif
}

}  // namespace
}  // namespace mercer
