#include "mercer/io/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "mercer/base/text.h"
#include "mercer/io/file_contents.h"

namespace mercer {
namespace {

const file_format& detect_by_content(const std::string& path, std::string_view bytes) {
    std::string_view rest = detail::without_byte_order_mark(bytes);
    std::string_view line;
    std::vector<std::string_view> first;
    while (first.size() < 2 && detail::next_line(rest, line)) {
        const std::string_view text = detail::trimmed(line);
        if (!text.empty() && text[0] != '#') first.push_back(text);
    }
    if (first.empty()) fail(errc::data, fmt::format("{}: expected at least one example, got none", path));
    const file_beginning beginning{bytes, first.front(), first.back()};
    for (const file_format* each : all_formats())
        if (each->looks_like && each->looks_like(beginning)) return *each;
    fail(errc::unsupported,
         fmt::format(
             "{}: the format cannot be detected from the name or from the first line {}: name one of the formats {}",
             path, detail::quoted(first.front()), format_names()));
}

}  // namespace

const file_format& detect_format(const std::string& path, std::string_view bytes) {
    std::string lower = path;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string_view stem = lower;
    for (const std::string_view packed : {".gz", ".xz"})
        if (stem.ends_with(packed)) {
            stem.remove_suffix(packed.size());
            break;
        }
    for (const file_format* each : all_formats())
        for (const std::string_view end : each->endings)
            if (stem.ends_with(end)) return *each;
    return detect_by_content(path, bytes);
}

namespace {

table read_folder(const std::string& path, const read_options& options) {
    if (options.format && !options.format->read_folder)
        fail(errc::unsupported,
             fmt::format("{}: {} is the format of a file, but this is a folder", path, options.format->name));
    if (options.format) return options.format->read_folder(path, options);
    for (const file_format* each : all_formats())
        if (each->is_folder && each->is_folder(path)) return each->read_folder(path, options);
    fail(errc::unsupported,
         fmt::format("{}: the format of this folder cannot be detected from its files: name the format", path));
}

}  // namespace

table read_table(const std::string& path, const read_options& options) {
    return parse_table(read_file_or_folder(path), options);
}

table parse_table(const file_contents& file, const read_options& options) {
    if (file.is_folder()) return read_folder(file.name(), options);
    for (const std::string_view mark : {"\xff\xfe", "\xfe\xff"})
        if (file.bytes().starts_with(mark))
            fail(errc::unsupported, fmt::format("{}: the text is encoded in UTF-16: save it as UTF-8", file.name()));
    return parse_untruncated(file, [&] {
        const file_format& format = options.format ? *options.format : detect_format(file.name(), file.bytes());
        if (!format.parse)
            fail(errc::unsupported,
                 fmt::format("{}: {} is the format of a folder, but this is a file", file.name(), format.name));
        return format.parse(file, options);
    });
}

}  // namespace mercer
