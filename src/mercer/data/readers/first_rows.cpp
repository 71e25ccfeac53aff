#include "mercer/data/readers/first_rows.h"

#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "mercer/data/readers/stream/byte_stream.h"

namespace mercer {
namespace {

// Null where the bytes do not say it yet, or are no text that a reader takes.
const file_format* format_of(const std::string& name, const std::string& text) {
    try {
        return &detect_format(name, text);
    } catch (const error&) {
        return nullptr;  // said with the whole file
    }
}

source source_of(const std::string& name, std::string text) {
    const auto kept = std::make_shared<const std::string>(std::move(text));
    return {name, *kept, kept};
}

}  // namespace

source read_first_rows(const std::string& path, index rows, const read_options& options, std::size_t most) {
    std::error_code unknown;
    if (path != "-" && std::filesystem::is_directory(path, unknown)) return source::folder(path);
    byte_stream stream(path);
    const std::size_t limit = most_unpacked(most);
    std::string text;
    // Twice as much each time: what is looked at again is no more than what is new.
    for (std::size_t piece = std::size_t{1} << 18; stream.read(text, piece); piece = text.size()) {
        const file_format* format = options.format ? options.format : format_of(stream.name(), text);
        if (format && format->cut_to_rows && format->cut_to_rows(text, rows, options))
            return source_of(stream.name(), std::move(text));
        if (format && !format->cut_to_rows && path != "-") return read_source(path, most);
        if (stream.packed() && text.size() > limit) refuse_unpacked(stream.name(), limit);
    }
    return path == "-" ? source_of(stream.name(), std::move(text)) : read_source(path, most);
}

}  // namespace mercer
