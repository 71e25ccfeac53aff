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
    EXPECT_EQ(parse_json(lists(deepest_json)).dump(), lists(deepest_json));
    expect_error(errc::parse, "f: JSON must be nested at most 100 levels deep, byte 101 is deeper",
                 [] { parse_json(lists(deepest_json + 1), "f"); });
    expect_error(errc::parse, "byte 501 is deeper", [] {
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

}  // namespace
}  // namespace mercer
