#include "mercer/model/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer::api {

namespace {

using nlohmann::ordered_json;

std::string value_text(const std::string& key, const ordered_json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number()) return value.is_number_integer() ? value.dump() : number_text(value.get<double>());
    if (value.is_array()) {
        if (!std::ranges::all_of(value, &ordered_json::is_number))
            fail(errc::parse, fmt::format("option '{}' must be a list of numbers only", key));
        return text_of(value.get<std::vector<double>>());
    }
    fail(errc::parse, fmt::format("option '{}' must be a number, a string, true, false or a list of numbers", key));
}

spec read_spec(const ordered_json& from) {
    if (!from.is_object()) fail(errc::parse, "a spec must be a JSON object such as {\"method\": \"svc\", ...}");
    spec out;
    for (const auto& [key, value] : from.items()) {
        std::string* place = key == "method"   ? &out.method
                             : key == "kernel" ? &out.kernel
                             : key == "scale"  ? &out.scale
                             : key == "text"   ? &out.text
                                               : nullptr;
        if (place && !value.is_string()) fail(errc::parse, fmt::format("\"{}\" must be a string", key));
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

}  // namespace

spec parse_spec(std::string_view json) {
    try {
        return read_spec(parse_json<ordered_json>(json, "a spec is JSON, {\"method\": \"svc\", ...}"));
    } catch (const nlohmann::json::exception& wrong) {
        fail(errc::parse, fmt::format("a spec must be JSON such as {{\"method\": \"svc\", ...}}: {}", wrong.what()));
    }
}

std::string to_json(const spec& s) {
    return write_spec(s).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace mercer::api
