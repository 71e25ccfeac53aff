#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "mercer/export/onnx_graph.h"

namespace mercer::api {
namespace {

std::string bytes(std::initializer_list<int> values) {
    std::string out;
    for (const int each : values) out += static_cast<char>(each);
    return out;
}

// The examples of protobuf.dev/programming-guides/encoding.
TEST(protobuf_message, writes_a_varint_as_the_specification_shows) {
    protobuf_message m;
    m.integer(1, 150);  // message Test1 { int32 a = 1; }
    EXPECT_EQ(m.bytes(), bytes({0x08, 0x96, 0x01}));
}

TEST(protobuf_message, writes_a_string_as_the_specification_shows) {
    protobuf_message m;
    m.text(2, "testing");  // message Test2 { string b = 2; }
    EXPECT_EQ(m.bytes(), bytes({0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67}));
}

TEST(protobuf_message, writes_a_message_in_a_message_as_the_specification_shows) {
    protobuf_message inner, m;
    inner.integer(1, 150);
    m.message(3, inner);  // message Test3 { Test1 c = 3; }
    EXPECT_EQ(m.bytes(), bytes({0x1a, 0x03, 0x08, 0x96, 0x01}));
}

TEST(protobuf_message, packs_numbers_as_the_specification_shows) {
    protobuf_message m;
    m.integers(6, std::vector<std::int64_t>{3, 270, 86942});  // message Test5 { repeated int32 f = 6 [packed=true]; }
    EXPECT_EQ(m.bytes(), bytes({0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05}));
}

TEST(protobuf_message, writes_negative_and_extreme_numbers_in_ten_bytes) {
    protobuf_message m;
    m.integer(1, -2);
    EXPECT_EQ(m.bytes(), bytes({0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
    protobuf_message least;
    least.integer(1, std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(least.bytes(), bytes({0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}));
    protobuf_message zero;
    zero.integer(1, 0);
    EXPECT_EQ(zero.bytes(), bytes({0x08, 0x00}));
}

TEST(protobuf_message, writes_floats_as_ieee_numbers_with_the_lowest_byte_first) {
    protobuf_message one, list;
    one.number(2, 1.5f);  // 0x3fc00000
    EXPECT_EQ(one.bytes(), bytes({0x15, 0x00, 0x00, 0xc0, 0x3f}));
    list.numbers(7, std::vector<float>{1.0f, -2.0f});
    EXPECT_EQ(list.bytes(), bytes({0x3a, 0x08, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0xc0}));
}

TEST(protobuf_message, writes_field_numbers_above_fifteen_in_two_bytes) {
    protobuf_message m;
    m.integer(20, 7);  // AttributeProto.type
    EXPECT_EQ(m.bytes(), bytes({0xa0, 0x01, 0x07}));
}

TEST(protobuf_message, writes_lengths_above_127_in_two_bytes) {
    protobuf_message m;
    m.text(1, std::string(300, 'a'));
    EXPECT_EQ(m.bytes().substr(0, 4), bytes({0x0a, 0xac, 0x02, 'a'}));
    EXPECT_EQ(m.bytes().size(), 303u);
}

TEST(protobuf_message, lays_doubles_and_whole_numbers_out_with_the_lowest_byte_first) {
    const std::vector<double> numbers{1.0};
    EXPECT_EQ(little_endian(numbers), bytes({0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
    const std::vector<std::int64_t> wholes{258};
    EXPECT_EQ(little_endian(wholes), bytes({2, 1, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace mercer::api
