// JSON texts from files and requests. All readers of nlohmann's JSON parse with this function: dump(), copies and
// comparisons of parsed values call themselves once for each level, so the depth of an input has to be limited.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace mercer {

inline constexpr int deepest_json = 100;  // levels of brackets within each other

// Json is nlohmann::json or nlohmann::ordered_json. Fails with errc::parse where the text is not JSON or nested more
// than `deepest_json` levels deep; `name` says in the message what was parsed (empty: the caller does).
template <class Json = nlohmann::json>
Json parse_json(std::string_view text, std::string_view name = {});

}  // namespace mercer
