// Fuzz target: arbitrary bytes as the JSON rows of a request must give the same rows as another parser, or
// mercer::error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "mercer/base/error.h"
#include "mercer/json_rows.h"

namespace {

using nlohmann::json;
using namespace mercer::cli;

json rows_of(const std::string& text) {
    const json all = json::parse(text);
    return all.is_object() ? all.at("rows") : all;
}

void same_numbers(const std::string& text, const row_shape& shape) {
    const mercer::dense<double> found = json_rows(text).numbers(shape);
    const json rows = rows_of(text);
    if (static_cast<std::size_t>(found.size()) != rows.size()) std::abort();
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < shape.width; ++c) {
            const json& value = rows[r].is_array() ? rows[r][c] : rows[r].at(shape.names[c]);
            if (value.is_number() && value.get<double>() != found.row(static_cast<mercer::index>(r))[c]) std::abort();
        }
}

void read(const std::string& text, unsigned mode) {
    const row_shape named{{"a", "b"}, 2, "y"}, unnamed{{}, 2, ""};
    std::set<std::string> extra;
    switch (mode % 6) {
        case 0: return same_numbers(text, named);
        case 1: return same_numbers(text, unnamed);
        case 2:
            if (json_rows(text).csv(named, extra).empty() || rows_of(text).empty()) std::abort();
            break;
        case 3:
            if (json_rows(text).libsvm().empty() || rows_of(text).empty()) std::abort();
            break;
        case 4:
            if (json_rows(text).texts(mode & 8 ? "a" : "").empty()) std::abort();
            break;
        default:
            if (json_rows(text).lines().empty()) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    try {
        read({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
    } catch (const mercer::error&) {
    }
    return 0;
}
