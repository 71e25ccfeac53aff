#include "mercer/export/onnx_graph.h"

#include <fmt/format.h>

#include <bit>
#include <type_traits>

#include "mercer/base/error.h"

namespace mercer::api {
namespace {

template <class Bits>
void put(std::string& out, Bits bits) {
    for (std::size_t shift = 0; shift < 8 * sizeof(Bits); shift += 8) out += static_cast<char>(bits >> shift & 0xff);
}

template <class T>
std::string little_endian_bytes(std::span<const T> values) {
    std::string out;
    out.reserve(8 * values.size());
    for (const T each : values) put(out, std::bit_cast<std::uint64_t>(each));
    return out;
}

}  // namespace

void protobuf_message::key(int field, wire type) {
    varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
}

// Seven bits per byte, the lowest first; the eighth bit is set if more bytes follow.
void protobuf_message::varint(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
}

void protobuf_message::bits(float value) { put(bytes_, std::bit_cast<std::uint32_t>(value)); }

void protobuf_message::integer(int field, std::int64_t value) {
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

void protobuf_message::integers(int field, std::span<const std::int64_t> values) {
    protobuf_message all;
    for (const std::int64_t each : values) all.varint(static_cast<std::uint64_t>(each));
    message(field, all);
}

void protobuf_message::numbers(int field, std::span<const float> values) {
    protobuf_message all;
    for (const float each : values) all.bits(each);
    message(field, all);
}

std::string little_endian(std::span<const double> values) { return little_endian_bytes(values); }
std::string little_endian(std::span<const std::int64_t> values) { return little_endian_bytes(values); }

namespace {

constexpr int ir_version = 8, opset = 13, ml_opset = 1;
constexpr const char* ml_domain = "ai.onnx.ml";

// The field numbers of onnx.proto.
namespace field {
enum model {
    model_ir_version = 1,
    producer_name = 2,
    doc_string = 6,
    graph = 7,
    opset_import = 8,
    metadata_props = 14
};
enum opset_id { opset_domain = 1, opset_version = 2 };
enum graph_fields { graph_node = 1, graph_name = 2, initializer = 5, graph_input = 11, graph_output = 12 };
enum node { node_input = 1, node_output = 2, op_type = 4, node_attribute = 5, node_domain = 7 };
enum attribute { attribute_name = 1, whole = 3, text = 4, floats = 7, wholes = 8, texts = 9, kind = 20 };
enum tensor { dims = 1, data_type = 2, string_data = 6, tensor_name = 8, raw_data = 9 };
enum value { value_name = 1, value_type = 2 };
enum tensor_type { elem_type = 1, tensor_shape = 2 };
enum dimension { dim_value = 1, dim_param = 2 };
enum pair { key = 1, pair_value = 2 };
}  // namespace field

protobuf_message attribute_message(const std::string& name, const onnx_graph::attribute_value& value) {
    protobuf_message out;
    out.text(field::attribute_name, name);
    // AttributeProto.AttributeType for each alternative of attribute_value.
    constexpr int kinds[] = {2, 3, 6, 7, 8};
    std::visit(
        [&](const auto& some) {
            using T = std::decay_t<decltype(some)>;
            if constexpr (std::is_same_v<T, std::int64_t>) out.integer(field::whole, some);
            if constexpr (std::is_same_v<T, std::string>) out.text(field::text, some);
            if constexpr (std::is_same_v<T, std::vector<float>>) out.numbers(field::floats, some);
            if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) out.integers(field::wholes, some);
            if constexpr (std::is_same_v<T, text_list>)
                for (const std::string& each : some) out.text(field::texts, each);
        },
        value);
    out.integer(field::kind, kinds[value.index()]);
    return out;
}

protobuf_message value_message(const std::string& name, onnx_graph::type of, const onnx_graph::shape& size) {
    protobuf_message shape, tensor, type, out;
    for (const std::int64_t each : size) {
        protobuf_message dimension;
        if (each < 0)
            dimension.text(field::dim_param, "objects");
        else
            dimension.integer(field::dim_value, each);
        shape.message(1, dimension);
    }
    tensor.integer(field::elem_type, static_cast<int>(of));
    tensor.message(field::tensor_shape, shape);
    type.message(1, tensor);
    out.text(field::value_name, name);
    out.message(field::value_type, type);
    return out;
}

}  // namespace

std::string onnx_graph::tensor(type of, const shape& size, std::string_view raw) {
    const std::string name = new_name("c");
    protobuf_message out;
    out.integers(field::dims, size);
    out.integer(field::data_type, static_cast<int>(of));
    out.text(field::tensor_name, name);
    out.text(field::raw_data, raw);
    initializers_.message(field::initializer, out);
    return name;
}

std::string onnx_graph::number(double value) {
    for (const auto& [known, name] : scalars_)
        if (std::bit_cast<std::uint64_t>(known) == std::bit_cast<std::uint64_t>(value)) return name;
    scalars_.emplace_back(value, tensor(type::float64, {}, little_endian(std::span(&value, 1))));
    return scalars_.back().second;
}

std::string onnx_graph::numbers(std::span<const double> values) {
    return tensor(type::float64, {static_cast<std::int64_t>(values.size())}, little_endian(values));
}

std::string onnx_graph::numbers(const matrix<double>& values) {
    return tensor(type::float64, {values.rows(), values.cols()},
                  little_endian(std::span(values.data(), static_cast<std::size_t>(values.rows() * values.cols()))));
}

std::string onnx_graph::integers(std::span<const std::int64_t> values) {
    return tensor(type::int64, {static_cast<std::int64_t>(values.size())}, little_endian(values));
}

std::string onnx_graph::texts(std::span<const std::string> values) {
    const std::string name = new_name("c");
    protobuf_message out;
    out.integer(field::dims, static_cast<std::int64_t>(values.size()));
    out.integer(field::data_type, static_cast<int>(type::text));
    for (const std::string& each : values) out.text(field::string_data, each);
    out.text(field::tensor_name, name);
    initializers_.message(field::initializer, out);
    return name;
}

std::string onnx_graph::node(const char* op, const names& from, const attributes& with) {
    return nodes(op, from, 1, with).front();
}

onnx_graph::names onnx_graph::nodes(const char* op, const names& from, int outputs, const attributes& with,
                                    const char* object_kind) {
    protobuf_message out;
    names made;
    for (const std::string& each : from) out.text(field::node_input, each);
    for (int i = 0; i < outputs; ++i) made.push_back(new_name("t")), out.text(field::node_output, made.back());
    out.text(field::op_type, op);
    for (const auto& [name, value] : with) out.message(field::node_attribute, attribute_message(name, value));
    if (*object_kind) out.text(field::node_domain, object_kind);
    uses_ml_ = uses_ml_ || std::string_view(object_kind) == ml_domain;
    graph_.message(field::graph_node, out);
    return made;
}

void onnx_graph::input(const std::string& name, type of, const shape& size) {
    inputs_.message(field::graph_input, value_message(name, of, size));
}

void onnx_graph::output(const std::string& from, const std::string& name, type of, const shape& size) {
    protobuf_message same;
    same.text(field::node_input, from);
    same.text(field::node_output, name);
    same.text(field::op_type, "Identity");
    graph_.message(field::graph_node, same);
    inputs_.message(field::graph_output, value_message(name, of, size));
}

void onnx_graph::add_metadata(const std::string& key, const std::string& value) {
    protobuf_message out;
    out.text(field::key, key);
    out.text(field::pair_value, value);
    metadata_.message(field::metadata_props, out);
}

std::string onnx_graph::bytes(const std::string& about) const {
    const auto import = [](std::string_view object_kind, int version) {
        protobuf_message out;
        if (!object_kind.empty()) out.text(field::opset_domain, object_kind);
        out.integer(field::opset_version, version);
        return out;
    };
    protobuf_message name, out;
    name.text(field::graph_name, "mercer");
    out.integer(field::model_ir_version, ir_version);
    out.text(field::producer_name, "mercer");
    out.text(field::doc_string, about);
    out.text(field::graph, graph_.bytes() + name.bytes() + initializers_.bytes() + inputs_.bytes());
    out.message(field::opset_import, import("", opset));
    if (uses_ml_) out.message(field::opset_import, import(ml_domain, ml_opset));
    std::string all = out.bytes() + metadata_.bytes();
    if (all.size() > 0x7fffffff)
        fail(errc::unsupported,
             fmt::format("the ONNX file would have {} bytes, more than the 2147483647 that the format allows",
                         all.size()));
    return all;
}

}  // namespace mercer::api
