// JSON texts from files and requests. All readers of nlohmann's JSON parse with this function: dump(), copies and
// comparisons of parsed values call themselves once for each level, so the depth of an input has to be limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

namespace mercer {

inline constexpr int deepest_json = 100;  // levels of brackets within each other

// Json is nlohmann::json or nlohmann::ordered_json. Fails with errc::parse where the text is not JSON or nested more
// than `deepest_json` levels deep, and with std::bad_alloc before there is a value; `name` says in the message what was
// parsed (empty: the caller does).
template <class Json = nlohmann::json>
Json parse_json(std::string_view text, std::string_view name = {});

// Throws std::bad_alloc if a JSON value of `values` numbers, texts, lists and objects, whose texts have `text_bytes`
// bytes in all, may find no memory while it is built or destroyed. nlohmann's destructors allocate, so that to run out
// of memory half-way would end the process.
void require_json_memory(std::size_t values, std::size_t text_bytes);

// Empties a value without allocating as it goes out of scope. Nested at most `deepest_json` levels deep.
template <class Json>
class json_release {
public:
    explicit json_release(Json& value) noexcept : value_(value) {}
    ~json_release();
    json_release(const json_release&) = delete;
    json_release& operator=(const json_release&) = delete;

private:
    Json& value_;
};

// The whole number `value`, 0 <= value <= most. Throws std::runtime_error with the key and the value where it is
// anything else: nlohmann's own conversion of 1e30 or 0.5 to an integer is undefined or silently rounds.
std::int64_t whole_number(const nlohmann::json& value, std::string_view key,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());

// The same for each element of a list.
std::vector<std::int64_t> whole_numbers(const nlohmann::json& list, std::string_view key);

}  // namespace mercer
