// JSON texts from files and requests. All readers of nlohmann's JSON parse with this function: dump(), copies and
// comparisons of parsed values call themselves once for each level, so the depth of an input has to be limited.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

namespace mercer {

inline constexpr int deepest_json = 100;  // levels of brackets within each other

// Json is nlohmann::json or nlohmann::ordered_json. Fails with errc::parse where the text is not JSON or nested more
// than `deepest_json` levels deep; `name` says in the message what was parsed (empty: the caller does).
template <class Json = nlohmann::json>
Json parse_json(std::string_view text, std::string_view name = {});

// The whole number `value`, 0 <= value <= most. Throws std::runtime_error with the key and the value where it is
// anything else: nlohmann's own conversion of 1e30 or 0.5 to an integer is undefined or silently rounds.
std::int64_t whole_number(const nlohmann::json& value, std::string_view key,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());

// The same for each element of a list.
std::vector<std::int64_t> whole_numbers(const nlohmann::json& list, std::string_view key);

}  // namespace mercer
