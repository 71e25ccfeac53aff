// Specs as JSON, and the file form of models.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "mercer/api/model.h"
#include "mercer/base/error.h"
#include "mercer/data/kinds/all_kinds.h"
#include "mercer/kernels/leaf.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/svm/files/libsvm_model.h"
#include "mercer/methods/svm/files/model_file.h"

namespace mercer::api {
namespace {

using nlohmann::ordered_json;
constexpr std::string_view format_name = "mercer-model";
constexpr int version = 2;

std::string value_text(const std::string& key, const ordered_json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number()) return value.is_number_integer() ? value.dump() : number_text(value.get<double>());
    if (value.is_array()) {
        if (!std::ranges::all_of(value, &ordered_json::is_number))
            fail(errc::parse, fmt::format("option '{}': a list must hold numbers only", key));
        return text_of(value.get<std::vector<double>>());
    }
    fail(errc::parse, fmt::format("option '{}' must be a number, a text, true, false or a list of numbers", key));
}

spec read_spec(const ordered_json& from) {
    if (!from.is_object()) fail(errc::parse, "a spec is an object: {\"method\": \"svc\", ...}");
    spec out;
    for (const auto& [key, value] : from.items()) {
        std::string* place = key == "method"   ? &out.method
                             : key == "kernel" ? &out.kernel
                             : key == "scale"  ? &out.scale
                             : key == "text"   ? &out.text
                                               : nullptr;
        if (place && !value.is_string()) fail(errc::parse, fmt::format("\"{}\" must be a text", key));
        if (place)
            *place = value.get<std::string>();
        else
            out.options.emplace_back(key, value_text(key, value));
    }
    if (out.method.empty()) fail(errc::parse, "a spec needs a \"method\"");
    return out;
}

ordered_json write_spec(const spec& s) {
    ordered_json out{{"method", s.method}};
    if (!s.kernel.empty()) out["kernel"] = s.kernel;
    if (!s.scale.empty()) out["scale"] = s.scale;
    if (!s.text.empty()) out["text"] = s.text;
    for (const auto& [name, value] : s.options) out[name] = value;
    return out;
}

std::string_view first_word(std::string_view bytes) {
    return bytes.substr(0, std::min(bytes.find_first_of(" \n"), bytes.size()));
}

// "kind": its name, or its number as files of version 1 have it.
domain kind_in(const nlohmann::json& head) {
    if (head.at("kind").is_string()) return domain_named(head.at("kind").get<std::string>());
    constexpr domain numbered[] = {domain::any, domain::vectors, strings::where, sets::where};
    return numbered[mercer::whole(head, "kind", 3)];
}

// What can be told of an estimator's file without its spec.
domain domain_of(const std::string& kernel_text) {
    return kernel_text.empty() ? domain::vectors : kernel::parse(kernel_text).where();
}

}  // namespace

spec parse_spec(std::string_view json) {
    try {
        return read_spec(ordered_json::parse(json));
    } catch (const nlohmann::json::exception& wrong) {
        fail(errc::parse, fmt::format("a spec is JSON, {{\"method\": \"svc\", ...}}: {}", wrong.what()));
    }
}

std::string to_json(const spec& s) {
    return write_spec(s).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string model::bytes() const {
    archive_writer out;
    const std::string inner = inner_->bytes();
    out.head["spec"] = to_json(spec_);
    out.head["scaling"] = scaling_ ? scaling_->to_json() : std::string();
    if (text_) out.head["text"] = text_->to_json();
    out.head["classes"] = class_names_;
    out.head["features"] = feature_names_;
    out.head["kind"] = mercer::name(kind_);
    out.head["dims"] = dims_;
    out.head["label"] = label;
    if (!text_column.empty()) out.head["text_column"] = text_column;
    out.head["figures"] = figures_.json();
    out.head["inner_bytes"] = inner.size();
    out.all(std::span<const char>(inner));
    return out.bytes(format_name, version);
}

model parse(std::string_view bytes, const std::string& name) {
    model out;
    if (first_word(bytes) == format_name) {
        archive_reader in(bytes, format_name, version, name);
        in.read([&] {
            out.spec_ = parse_spec(in.head.at("spec").get<std::string>());
            if (const auto text = in.head.at("scaling").get<std::string>(); !text.empty())
                out.scaling_ = scaling::from_json(text, name);
            if (in.head.contains("text"))
                out.text_ = text_features::from_json(in.head["text"].get<std::string>(), name);
            out.class_names_ = in.head.at("classes").get<std::vector<std::string>>();
            out.feature_names_ = in.head.at("features").get<std::vector<std::string>>();
            out.kind_ = kind_in(in.head);
            out.dims_ = mercer::whole(in.head, "dims");
            out.label = in.head.at("label").get<std::string>();
            out.text_column = in.head.value("text_column", std::string());
            out.figures_ = figures::from_json(in.head.at("figures").get<std::string>());
            const std::vector<char> inner = in.all<char>(mercer::whole(in.head, "inner_bytes"));
            const method& m = find_method(out.spec_.method);
            out.spec_.options = option_values::stored(m.name, m.options, out.spec_.options).all();
            out.inner_ = m.parse(std::string_view(inner.data(), inner.size()), name);
            const index dims = out.text_ ? out.text_->dims() : out.dims_;
            if (out.scaling_ && out.scaling_->dims() != dims)
                in.bad(fmt::format("{} columns are scaled, the objects have {}", out.scaling_->dims(), dims));
            if (out.text_ && out.kind_ != strings::where)
                in.bad(fmt::format("terms of texts, but the objects are {}", mercer::name(out.kind_)));
        });
        return out;
    }
    // An estimator's own file: what it was asked for is not in it, so the options are left out.
    std::tie(out.inner_, out.spec_.method) = parse_fitted(bytes, name);
    out.spec_.kernel = out.inner_->kernel_text();
    out.kind_ = domain_of(out.spec_.kernel);
    out.figures_ = out.inner_->about();
    return out;
}

std::pair<fitted_ptr, std::string> parse_fitted(std::string_view bytes, const std::string& name) {
    const std::string_view first = first_word(bytes);
    const auto owner = std::ranges::find(methods(), first, &method::format);
    const bool libsvm = first == "svm_type";
    if (owner == methods().end() && !libsvm)
        fail(errc::parse, fmt::format("{}: not a model file: it starts with '{}'", name,
                                      bytes.substr(0, std::min<std::size_t>(bytes.find('\n'), 40))));
    const fitted_ptr found = libsvm ? as_fitted(parse_libsvm_model(bytes, name)) : owner->parse(bytes, name);
    // Methods that share a file form are told apart by what they answer.
    if (first == "mercer-knn-model") return {found, found->gives() == answer::values ? "knn_regression" : "knn"};
    if (first == "mercer-svm-model" || libsvm)
        return {found, found->gives() == answer::values  ? "svr"
                       : found->gives() == answer::sides ? "one_class"
                                                         : "svc"};
    return {found, owner->name};
}

}  // namespace mercer::api
