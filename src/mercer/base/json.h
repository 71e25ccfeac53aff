// JSON texts from files and requests. All code that uses nlohmann's JSON parses with parse_json(), which limits the
// depth of the input, because dump(), copies and comparisons of parsed values are recursive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

namespace mercer {

inline constexpr int max_json_depth = 100;  // levels of nested brackets

// Json is nlohmann::json or nlohmann::ordered_json. Throws errc::parse if the text is not JSON or is nested more than
// `max_json_depth` levels deep, and std::bad_alloc, before a value is made, if memory is short. `name` stands at the
// front of the message, for example the name of the file (empty: the caller adds it).
template <class Json = nlohmann::json>
Json parse_json(std::string_view text, std::string_view name = {});

// Throws std::bad_alloc if the memory may not suffice to build and destroy a JSON value of `values` numbers, strings,
// arrays and objects, whose strings have `text_bytes` bytes in total. nlohmann's destructors allocate, so a process
// that ran out of memory in one of them would end.
void require_json_memory(std::size_t values, std::size_t text_bytes);

// Empties a value, without allocating memory, when the json_release goes out of scope. The value is nested at most
// `max_json_depth` levels deep.
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

// The whole number `value`, 0 <= value <= most. Throws std::runtime_error with the key and the value if it is anything
// else. (nlohmann's own conversion of 1e30 to an integer is undefined, and that of 0.5 rounds silently.)
std::int64_t json_integer(const nlohmann::json& value, std::string_view key,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());

// The same for each element of a list.
std::vector<std::int64_t> json_integers(const nlohmann::json& list, std::string_view key);

}  // namespace mercer
