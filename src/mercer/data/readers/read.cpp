#include "mercer/data/readers/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "mercer/data/readers/number.h"
#include "mercer/data/readers/source.h"

namespace mercer {
namespace {

constexpr std::pair<file_format, const char*> names[] = {
    {file_format::automatic, "auto"}, {file_format::libsvm, "libsvm"},   {file_format::csv, "csv"},
    {file_format::npy, "npy"},        {file_format::strings, "strings"}, {file_format::sets, "sets"},
};

constexpr std::pair<std::string_view, file_format> extensions[] = {
    {".svm", file_format::libsvm}, {".libsvm", file_format::libsvm}, {".svmlight", file_format::libsvm},
    {".csv", file_format::csv},    {".npy", file_format::npy},       {".strings", file_format::strings},
    {".sets", file_format::sets},
};

bool is_number(std::string_view token) {
    double value = 0;
    return detail::parse_number(token, value) != detail::number_fault::syntax;
}

std::vector<std::string_view> split(std::string_view line, std::string_view separators) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = line.find_first_of(separators);
        parts.push_back(detail::trimmed(line.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        line.remove_prefix(end + 1);
    }
}

// number [qid:…] index:value …, without a comment at its end
bool looks_like_libsvm(std::string_view line) {
    line = detail::trimmed(line.substr(0, line.find('#')));
    bool label = true;
    for (const std::string_view token : split(line, " \t")) {
        if (token.empty()) continue;
        if (label) {
            if (!is_number(token)) return false;
            label = false;
            continue;
        }
        const auto colon = token.find(':');
        if (colon == std::string_view::npos || colon == 0) return false;
        if (token.starts_with("qid:")) continue;
        if (!std::all_of(token.begin(), token.begin() + static_cast<std::ptrdiff_t>(colon), detail::is_digit))
            return false;
    }
    return !label;
}

bool looks_like_strings(std::string_view line) {
    const auto fields = split(line, "\t");
    if (fields.size() < 2 || is_number(fields.back())) return false;
    // Numbers between label and text are features, so it is a table whose last column is a class.
    return fields.size() == 2 || std::none_of(fields.begin() + 1, fields.end(), is_number);
}

file_format by_content(const std::string& path, std::string_view bytes) {
    if (bytes.starts_with("\x93NUMPY")) return file_format::npy;
    std::string_view rest = detail::without_mark(bytes);
    std::string_view line;
    std::vector<std::string_view> first;  // two lines: the first of a table may be a header
    while (first.size() < 2 && detail::next_line(rest, line)) {
        const std::string_view text = detail::trimmed(line);
        if (!text.empty() && text[0] != '#') first.push_back(text);
    }
    if (first.empty()) fail(errc::data, fmt::format("{}: expected at least one example, got none", path));
    if (looks_like_libsvm(first.front())) return file_format::libsvm;
    if (looks_like_strings(first.back())) return file_format::strings;
    if (first.back().find_first_of(",;\t") != std::string_view::npos) return file_format::csv;
    fail(errc::unsupported, fmt::format("{}: cannot tell the format from the name or from the first line {}: say which "
                                        "of libsvm, csv, npy, strings, sets it is",
                                        path, detail::quoted(first.front())));
}

}  // namespace

const char* name(file_format format) noexcept {
    for (const auto& [value, text] : names)
        if (value == format) return text;
    return "?";
}

file_format file_format_named(std::string_view wanted) {
    for (const auto& [value, text] : names)
        if (wanted == text) return value;
    fail(errc::invalid_argument, fmt::format("the format must be one of auto, libsvm, csv, npy, strings, sets, got {}",
                                             detail::quoted(wanted)));
}

file_format detect_format(const std::string& path, std::string_view bytes) {
    std::string lower = path;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string_view stem = lower;
    for (const std::string_view packed : {".gz", ".xz"})
        if (stem.ends_with(packed)) {
            stem.remove_suffix(packed.size());
            break;
        }
    for (const auto& [extension, format] : extensions)
        if (stem.ends_with(extension)) return format;
    return by_content(path, bytes);
}

table read_table(const std::string& path, const read_options& options) {
    return parse_table(read_source(path), options);
}

table parse_table(const source& file, const read_options& options) {
    for (const std::string_view mark : {"\xff\xfe", "\xfe\xff"})
        if (file.bytes().starts_with(mark))
            fail(errc::unsupported, fmt::format("{}: the text is UTF-16: save it as UTF-8", file.name()));
    const file_format format =
        options.format == file_format::automatic ? detect_format(file.name(), file.bytes()) : options.format;
    switch (format) {
        case file_format::csv: {
            csv_options csv = options.csv;
            csv.numbers = options.numbers;
            return parse_csv(file, csv);
        }
        case file_format::npy: return parse_npy(file.bytes(), file.name(), options.numbers);
        case file_format::strings: return parse_strings(file.bytes(), file.name(), options.tsv);
        case file_format::sets: return parse_sets(file.bytes(), file.name(), options.tsv);
        default: {
            libsvm_options libsvm = options.libsvm;
            libsvm.numbers = options.numbers;
            return parse_libsvm(file, libsvm);
        }
    }
}

}  // namespace mercer
