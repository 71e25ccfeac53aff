// Writes ONNX files: the wire format of protocol buffers, and a graph of operators.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/variant_list.h"

namespace mercer::api {

// Writes a message in the wire format of protocol buffers: a sequence of fields, each a key (number·8 + wire type) and
// a value. Only ONNX files use this format here, and they are never read, so these few lines replace a library, its
// compiler and generated sources.
class protobuf_message {
public:
    void integer(int field, std::int64_t value);   // a varint; negative numbers as 64 bits, in ten bytes
    void number(int field, float value);           // 32 bits, little-endian
    void text(int field, std::string_view value);  // the length, then the bytes
    void message(int field, const protobuf_message& value) { text(field, value.bytes()); }
    void integers(int field, std::span<const std::int64_t> values);  // packed: one field for all values
    void numbers(int field, std::span<const float> values);          // packed
    const std::string& bytes() const { return bytes_; }

private:
    enum class wire { varint = 0, length = 2, bits32 = 5 };
    void key(int field, wire type);
    void varint(std::uint64_t value);
    void bits(float value);
    std::string bytes_;
};

// Return the bytes of the numbers in little-endian order, on any machine.
std::string little_endian(std::span<const double> values);
std::string little_endian(std::span<const std::int64_t> values);

// Builds an ONNX file of constants, operators, inputs and outputs (onnx.proto, IR version 8).
class onnx_graph {
public:
    // Types of the elements of tensors, with their numbers in onnx.proto.
    enum class type { float32 = 1, int64 = 7, text = 8, float64 = 11 };
    using attribute_value =
        std::variant<std::int64_t, std::string, std::vector<float>, std::vector<std::int64_t>, text_list>;
    using attributes = std::vector<std::pair<std::string, attribute_value>>;
    using names = std::vector<std::string>;
    using shape = std::vector<std::int64_t>;  // -1: the number of objects

    // Each adds a constant or an operator and returns the name of its tensor.
    std::string number(double value);
    std::string numbers(std::span<const double> values);  // a tensor of one dimension
    std::string numbers(const matrix<double>& values);
    std::string integers(std::span<const std::int64_t> values);
    std::string texts(std::span<const std::string> values);
    std::string node(const char* op, const names& from, const attributes& with = {});
    names nodes(const char* op, const names& from, int outputs, const attributes& with = {},
                const char* object_kind = "");

    void input(const std::string& name, type of, const shape& size);
    // Makes the tensor `from` an output with this name.
    void output(const std::string& from, const std::string& name, type of, const shape& size);
    // Adds a key and a value to the metadata of the file.
    void add_metadata(const std::string& key, const std::string& value);

    // Returns the file. Throws if it has more than 2³¹ - 1 bytes, the limit of protocol buffers.
    std::string bytes(const std::string& about) const;

private:
    std::string tensor(type of, const shape& size, std::string_view raw);
    std::string new_name(const char* what) { return what + std::to_string(made_++); }
    int made_ = 0;
    bool uses_ml_ = false;
    std::vector<std::pair<double, std::string>> scalars_;  // scalar constants and their tensors
    protobuf_message graph_, inputs_, initializers_, metadata_;
};

}  // namespace mercer::api
