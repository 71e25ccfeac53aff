#include "mercer/base/json.h"

#include <fmt/format.h>

#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "mercer/base/error.h"

namespace mercer {
namespace {

[[noreturn]] void fail_parsing(std::string_view name, std::string_view why) {
    fail(errc::parse, fmt::format("{}{}{}", name, name.empty() ? "" : ": ", why));
}

// Checks the depth of the nesting in one pass over the bytes; brackets in strings do not count. Other errors are left
// to the parser. Returns an upper bound of the number of values.
std::size_t check_depth(std::string_view text, std::string_view name) {
    int depth = 0;
    std::size_t values = 1;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            at += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == ',') {
            ++values;
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == '[' || c == '{') {
            ++values;
            if (++depth > max_json_depth)
                fail_parsing(name, fmt::format("JSON must be nested at most {} levels deep, but byte {} lies deeper",
                                               max_json_depth, at + 1));
        }
    }
    return values;
}

template <class Json>
void dismantle(Json& value) noexcept {
    if (auto* const list = value.template get_ptr<typename Json::array_t*>()) {
        for (; !list->empty(); list->pop_back()) dismantle(list->back());
    } else if (auto* const object = value.template get_ptr<typename Json::object_t*>()) {
        for (auto& member : *object) dismantle(member.second);
        object->clear();
    }
}

// The value as JSON, cut after 60 characters, for messages: in a damaged file any value can stand in the place of a
// number.
std::string shown(const nlohmann::json& value) {
    constexpr std::size_t longest = 60;
    const std::string all = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return all.size() <= longest ? all : all.substr(0, longest) + "...";
}

}  // namespace

void require_json_memory(std::size_t values, std::size_t text_bytes) {
    // A value takes 16 bytes in an array, whose capacity doubles as it grows, and 16 bytes in the array to which the
    // destructor moves it. In addition it may own a string, an array or a node of an object.
    constexpr std::size_t bytes = 176;
    void* volatile trial = ::operator new(bytes* values + 2 * text_bytes);
    ::operator delete(trial);
}

template <class Json>
json_release<Json>::~json_release() {
    dismantle(value_);
}
template class json_release<nlohmann::json>;
template class json_release<nlohmann::ordered_json>;

template <class Json>
Json parse_json(std::string_view text, std::string_view name) {
    require_json_memory(check_depth(text, name), text.size());
    try {
        return Json::parse(text);
    } catch (const typename Json::parse_error& wrong) {
        // The message without its number: "[json.exception.parse_error.101] parse error at line 1, column 5: …"
        const std::string_view said = wrong.what();
        const std::size_t bracket = said.find("] ");
        fail_parsing(name, fmt::format("not JSON: {}", said.substr(bracket == said.npos ? 0 : bracket + 2)));
    }
}
template nlohmann::json parse_json<nlohmann::json>(std::string_view, std::string_view);
template nlohmann::ordered_json parse_json<nlohmann::ordered_json>(std::string_view, std::string_view);

std::int64_t json_integer(const nlohmann::json& value, std::string_view key, std::int64_t most) {
    if (!value.is_number_integer())
        throw std::runtime_error(fmt::format("{} must be a whole number, got {}", key, shown(value)));
    const bool large = value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    const auto number = value.get<std::int64_t>();
    if (large || number < 0 || number > most)
        throw std::runtime_error(fmt::format("{} must satisfy 0 <= {} <= {}, got {}", key, key, most, shown(value)));
    return number;
}

std::vector<std::int64_t> json_integers(const nlohmann::json& list, std::string_view key) {
    if (!list.is_array())
        throw std::runtime_error(fmt::format("{} must be a list of whole numbers, got {}", key, shown(list)));
    std::vector<std::int64_t> out;
    out.reserve(list.size());
    for (const nlohmann::json& each : list) out.push_back(json_integer(each, key));
    return out;
}

}  // namespace mercer
