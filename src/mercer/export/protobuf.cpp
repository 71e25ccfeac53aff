#include "mercer/export/protobuf.h"

#include <bit>

namespace mercer::api {
namespace {

template <class Bits>
void put(std::string& out, Bits bits) {
    for (std::size_t shift = 0; shift < 8 * sizeof(Bits); shift += 8) out += static_cast<char>(bits >> shift & 0xff);
}

template <class T>
std::string laid_out(std::span<const T> values) {
    std::string out;
    out.reserve(8 * values.size());
    for (const T each : values) put(out, std::bit_cast<std::uint64_t>(each));
    return out;
}

}  // namespace

void protobuf_message::key(int field, wire type) {
    varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
}

// Seven bits a byte, the lowest first; the eighth says that more follow.
void protobuf_message::varint(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
}

void protobuf_message::bits(float value) { put(bytes_, std::bit_cast<std::uint32_t>(value)); }

void protobuf_message::whole(int field, std::int64_t value) {
    key(field, wire::varint);
    varint(static_cast<std::uint64_t>(value));
}

void protobuf_message::number(int field, float value) {
    key(field, wire::bits32);
    bits(value);
}

void protobuf_message::text(int field, std::string_view value) {
    key(field, wire::length);
    varint(value.size());
    bytes_ += value;
}

void protobuf_message::wholes(int field, std::span<const std::int64_t> values) {
    protobuf_message all;
    for (const std::int64_t each : values) all.varint(static_cast<std::uint64_t>(each));
    message(field, all);
}

void protobuf_message::numbers(int field, std::span<const float> values) {
    protobuf_message all;
    for (const float each : values) all.bits(each);
    message(field, all);
}

std::string little_endian(std::span<const double> values) { return laid_out(values); }
std::string little_endian(std::span<const std::int64_t> values) { return laid_out(values); }

}  // namespace mercer::api
