#include "mercer/io/expected_file.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "mercer/io/byte_stream.h"

namespace mercer {

source read_expected(const std::string& path, bool (*is_expected)(std::string_view beginning)) {
    constexpr std::size_t beginning = 4096;
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(path, unknown)) return read_source(path);
    std::string first;
    byte_stream(path).read(first, beginning);
    if (is_expected(first)) return read_source(path);
    const auto kept = std::make_shared<const std::string>(std::move(first));
    return {path, *kept, kept};
}

bool begins_json_object(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos || text[first] == '{';
}

}  // namespace mercer
