#include "mercer/base/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "contracts/errors.h"

namespace mercer {
namespace {

using testing::expect_error;

std::string lists(int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
}

TEST(json, is_parsed_to_a_depth_and_refused_beyond) {
    EXPECT_EQ(parse_json(lists(max_json_depth)).dump(), lists(max_json_depth));
    expect_error(errc::parse, "f: JSON must be nested at most 100 levels deep, but byte 101 lies deeper",
                 [] { parse_json(lists(max_json_depth + 1), "f"); });
    expect_error(errc::parse, "byte 501 lies deeper", [] {
        std::string objects;
        for (int i = 0; i < 200000; ++i) objects += "{\"a\":";
        parse_json<nlohmann::ordered_json>(objects);
    });
}

TEST(json, brackets_in_texts_and_beside_each_other_do_not_count) {
    const std::string text = "{\"" + std::string(500, '[') + "\\\"[\":[" + lists(90);
    std::string many = text;
    for (int i = 0; i < 300; ++i) many += ",[{}]";
    EXPECT_EQ(parse_json(many + "]}").size(), 1u);
}

TEST(json, faults_name_what_was_parsed_and_the_place) {
    expect_error(errc::parse, "f: not JSON: parse error at line 2, column ", [] { parse_json("[1,\n]", "f"); });
    expect_error(errc::parse, "not JSON: parse error at line 1, column ", [] { parse_json(""); });
    expect_error(errc::parse, "not JSON", [] { parse_json("\"a"); });
    expect_error(errc::parse, "not JSON", [] { parse_json("\"\\"); });
}

TEST(json, whole_numbers_are_exact_or_refused) {
    using nlohmann::json;
    EXPECT_EQ(json_integer(json::parse("0"), "n"), 0);
    EXPECT_EQ(json_integer(json::parse("9223372036854775807"), "n"), 9223372036854775807);
    EXPECT_EQ(json_integers(json::parse("[3,0,2]"), "n"), (std::vector<std::int64_t>{3, 0, 2}));
    for (const char* text : {"-1", "0.5", "1.0", "1e3", "1e58", "9223372036854775808", "18446744073709551615", "true",
                             "null", "\"1\"", "[1]", "{}"}) {
        SCOPED_TRACE(text);
        EXPECT_THROW(json_integer(json::parse(text), "n"), std::runtime_error);
        EXPECT_THROW(json_integers(json::parse("[1," + std::string(text) + "]"), "n"), std::runtime_error);
    }
    EXPECT_THROW(json_integers(json::parse("{}"), "n"), std::runtime_error);
    try {
        json_integer(json::parse("12"), "folds", 10);
        FAIL();
    } catch (const std::runtime_error& refused) {
        EXPECT_STREQ(refused.what(), "folds must satisfy 0 <= folds <= 10, got 12");
    }
}

}  // namespace
}  // namespace mercer
