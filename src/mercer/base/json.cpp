#include "mercer/base/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mercer/base/error.h"

namespace mercer {
namespace {

[[noreturn]] void fail_parsing(std::string_view name, std::string_view why) {
    fail(errc::parse, fmt::format("{}{}{}", name, name.empty() ? "" : ": ", why));
}

// One pass over the bytes before the parser's; brackets in strings do not count. Whatever else is wrong is left to the
// parser.
void check_depth(std::string_view text, std::string_view name) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            at += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == ']' || c == '}') {
            --depth;
        } else if ((c == '[' || c == '{') && ++depth > deepest_json) {
            fail_parsing(name, fmt::format("JSON must be nested at most {} levels deep, byte {} is deeper",
                                           deepest_json, at + 1));
        }
    }
}

}  // namespace

template <class Json>
Json parse_json(std::string_view text, std::string_view name) {
    check_depth(text, name);
    try {
        return Json::parse(text);
    } catch (const typename Json::parse_error& wrong) {
        // Without its number: "[json.exception.parse_error.101] parse error at line 1, column 5: …"
        const std::string_view said = wrong.what();
        const std::size_t bracket = said.find("] ");
        fail_parsing(name, fmt::format("not JSON: {}", said.substr(bracket == said.npos ? 0 : bracket + 2)));
    }
}
template nlohmann::json parse_json<nlohmann::json>(std::string_view, std::string_view);
template nlohmann::ordered_json parse_json<nlohmann::ordered_json>(std::string_view, std::string_view);

}  // namespace mercer
