#include "mercer/io/first_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "mercer/base/text.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/record_ends.h"

namespace mercer {
namespace {

// Returns the format; null if these first bytes do not decide it yet, or if no reader accepts the text.
const file_format* format_of(const std::string& name, const std::string& text) {
    try {
        return &detect_format(name, text);
    } catch (const error&) {
        return nullptr;
    }
}

// Returns true if the beginning of the file holds all lines that detect_format() reads.
bool has_detectable_lines(std::string_view text) {
    std::string_view rest = detail::without_byte_order_mark(text), line;
    int found = 0;
    while (found < 2 && detail::next_complete_line(rest, line)) {
        line = detail::trimmed(line);
        found += !line.empty() && line[0] != '#';
    }
    return found == 2;
}

file_contents as_file_contents(const std::string& name, std::string text) {
    const auto kept = std::make_shared<const std::string>(std::move(text));
    return {name, *kept, kept};
}

// Throws if a row, or blank lines between rows, exceed 256 MB in a text that grows: otherwise a row without an end
// would read the rest of the file into memory.
class row_size_guard {
public:
    explicit row_size_guard(const file_format* format)
        : lines_(!format || (format->cut_to_rows && std::string_view(format->name) != "npy" &&
                             std::string_view(format->name) != "graphml")),
          ends_(format && std::string_view(format->name) == "csv") {}

    // `text` must be the text of the previous call, possibly with more bytes appended.
    void check(const std::string& name, std::string_view text) {
        constexpr std::size_t max_row_bytes = std::size_t{1} << 28;
        if (!lines_) return;
        const std::size_t end = ends_.last(text), last = text.substr(seen_).find_last_not_of(" \t\r\n");
        if (last != std::string_view::npos) filled_ = seen_ + last + 1;
        seen_ = text.size();
        const std::size_t from = std::min(end, filled_);
        if (text.size() - from <= max_row_bytes) return;
        const std::optional<std::size_t> quote = ends_.open_quote();
        const char* const expected = quote ? "a closing '\"'" : end > filled_ ? "a row" : "a line end";
        detail::fail_at(errc::parse, name, text, quote.value_or(from),
                        fmt::format("expected {} within {} MB, got none", expected, max_row_bytes >> 20));
    }

private:
    bool lines_;  // a row ends with a line end
    detail::record_ends ends_;
    std::size_t seen_ = 0, filled_ = 0;  // the number of bytes inspected; the offset after the last that is not blank
};

}  // namespace

file_contents read_first_rows(const std::string& path, index rows, const read_options& options, std::size_t max_bytes) {
    constexpr std::size_t piece = std::size_t{1} << 18;
    // If the first 16 MB do not decide the format, detection stops: each attempt reads the text from its beginning.
    constexpr std::size_t max_detection_bytes = std::size_t{1} << 24;
    std::error_code unknown;
    const bool is_pipe = path == "-";
    if (!is_pipe && std::filesystem::is_directory(path, unknown)) return file_contents::folder(path);
    byte_stream stream(path);
    const std::size_t limit = max_unpacked_bytes(max_bytes);
    const file_format* format = options.format;
    std::string text;
    std::optional<row_size_guard> guard;
    std::size_t seen = 0;  // size of the text at the last attempt to cut it
    for (bool more = true; more;) {
        more = stream.read(text, piece);
        if (stream.packed() && text.size() > limit) fail_unpacked_size(stream.name(), limit);
        if (guard) guard->check(stream.name(), text);
        // The next attempt waits until the text has doubled, so that all attempts together take linear time.
        if (more && text.size() < 2 * seen) continue;
        seen = text.size();
        if (!options.format && text.size() <= max_detection_bytes) format = format_of(stream.name(), text);
        if (!format && has_detectable_lines(text))
            return as_file_contents(stream.name(), std::move(text));  // the reader reports it
        if (format && !format->cut_to_rows && !is_pipe) break;
        if (format && format->cut_to_rows && format->cut_to_rows(text, rows, options))
            return as_file_contents(stream.name(), std::move(text));
        if (!guard && (format || text.size() > piece)) guard.emplace(format);
    }
    const bool is_whole = !format || format->cut_to_rows;
    if (is_pipe || (stream.packed() && is_whole)) return as_file_contents(stream.name(), std::move(text));
    text = {};
    return read_file(path, max_bytes);
}

}  // namespace mercer
