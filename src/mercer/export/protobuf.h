// The wire format of protocol buffers, as much of it as writing takes: a message is a sequence of fields, each a key
// (number·8 + wire type) and a value. ONNX files are the only such files here and are never read, so these few lines
// stand for what would otherwise be a library, its compiler and generated sources.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mercer::api {

class protobuf_message {
public:
    void whole(int field, std::int64_t value);     // varint; negative ones as 64 bits, in ten bytes
    void number(int field, float value);           // 32 bits, the lowest byte first
    void text(int field, std::string_view value);  // length, then the bytes
    void message(int field, const protobuf_message& value) { text(field, value.bytes()); }
    void wholes(int field, std::span<const std::int64_t> values);  // packed: one field for all
    void numbers(int field, std::span<const float> values);        // likewise
    const std::string& bytes() const { return bytes_; }

private:
    enum class wire { varint = 0, length = 2, bits32 = 5 };
    void key(int field, wire type);
    void varint(std::uint64_t value);
    void bits(float value);
    std::string bytes_;
};

// Numbers as they lie in the files of a machine that puts the lowest byte first, whatever this one does.
std::string little_endian(std::span<const double> values);
std::string little_endian(std::span<const std::int64_t> values);

}  // namespace mercer::api
