// ONNX files in the making: the wire format of protocol buffers, and a graph of operators.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/text_list.h"

namespace mercer::api {

// The wire format of protocol buffers, as much of it as writing takes: a message is a sequence of fields, each a key
// (number·8 + wire type) and a value. ONNX files are the only such files here and are never read, so these few lines
// stand for what would otherwise be a library, its compiler and generated sources.

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

// An ONNX file in the making: constants, operators, inputs and outputs (onnx.proto, IR version 8).

class onnx_graph {
public:
    // Types of the elements of tensors, by their numbers in onnx.proto.
    enum class type { float32 = 1, int64 = 7, text = 8, float64 = 11 };
    using attribute_value =
        std::variant<std::int64_t, std::string, std::vector<float>, std::vector<std::int64_t>, text_list>;
    using attributes = std::vector<std::pair<std::string, attribute_value>>;
    using names = std::vector<std::string>;
    using shape = std::vector<std::int64_t>;  // -1: as many as there are objects

    // Each gives the name of the tensor that it makes.
    std::string number(double value);
    std::string numbers(std::span<const double> values);  // a row
    std::string numbers(const matrix<double>& values);
    std::string wholes(std::span<const std::int64_t> values);
    std::string texts(std::span<const std::string> values);
    std::string node(const char* op, const names& from, const attributes& with = {});
    names nodes(const char* op, const names& from, int outputs, const attributes& with = {}, const char* domain = "");

    void input(const std::string& name, type of, const shape& size);
    // The tensor `from`, to be found under this name.
    void output(const std::string& from, const std::string& name, type of, const shape& size);
    // What people may want to know of the file.
    void remark(const std::string& key, const std::string& value);

    // Fails where the file would have more than 2 GB, which protocol buffers cannot.
    std::string bytes(const std::string& about) const;

private:
    std::string tensor(type of, const shape& size, std::string_view raw);
    std::string fresh(const char* what) { return what + std::to_string(made_++); }
    int made_ = 0;
    bool uses_ml_ = false;
    std::vector<std::pair<double, std::string>> known_;  // numbers that are there already
    protobuf_message graph_, inputs_, initializers_, remarks_;
};

}  // namespace mercer::api
