#include "mercer/data/readers/tsv.h"

#include <fmt/format.h>

#include <unordered_map>

#include "mercer/data/kinds/all_kinds.h"
#include "mercer/data/readers/read.h"
#include "mercer/data/readers/source.h"
#include "mercer/data/readers/text.h"

namespace mercer {
namespace {

// Calls object(rest of the line) for each line, after its label, if it has one, went to `labels`. Where there are
// labels, a blank line is no example.
template <class Object>
void each_line(std::string_view text, const std::string& name, bool labelled, const char* form,
               detail::label_column& labels, Object&& object) {
    std::string_view rest = text;
    std::string_view line;
    bool any = false;
    while (detail::next_line(rest, line)) {
        if (labelled && line.find('\t') == std::string_view::npos && detail::trimmed(line).empty()) continue;
        any = true;
        if (labelled) {
            const auto offset = static_cast<std::size_t>(line.data() - text.data());
            const auto tab = line.find('\t');
            const std::string_view label = detail::trimmed(line.substr(0, tab));
            if (tab == std::string_view::npos || label.empty())
                detail::fail_at(errc::parse, name, text, offset,
                                fmt::format("expected {}, got {}", form, detail::quoted(line)));
            labels.add(label, offset);
            line.remove_prefix(tab + 1);
        }
        object(line);
    }
    if (!any) fail(errc::data, fmt::format("{}: expected at least one example, got none", name));
}

}  // namespace

table parse_strings(std::string_view text, const std::string& name, const tsv_options& options) {
    const std::string_view body = detail::without_mark(text);
    table result;
    detail::label_column labels;
    std::vector<std::string> items;
    each_line(body, name, options.labelled, "label<TAB>text", labels, [&](std::string_view line) {
        items.emplace_back(line.substr(line.rfind('\t') + 1));  // npos + 1 = 0: a line without tabs
    });
    if (options.labelled) labels.finish(name, body, options.classes, result);
    result.x = strings(std::move(items));
    return result;
}

table parse_sets(std::string_view text, const std::string& name, const tsv_options& options) {
    const std::string_view body = detail::without_mark(text);
    table result;
    result.feature_names = options.dictionary;
    std::unordered_map<std::string, std::int64_t> number;
    for (const std::string& word : options.dictionary) {
        if (!number.emplace(word, static_cast<std::int64_t>(number.size())).second)
            fail(errc::invalid_argument,
                 fmt::format("the items of a dictionary must differ, got {} twice", detail::quoted(word)));
    }
    detail::label_column labels;
    std::vector<std::vector<std::int64_t>> items;
    const char* const between = options.items_by_tab ? "\t" : " \t";
    std::string word;
    each_line(body, name, options.labelled, "label<TAB>item item ...", labels, [&](std::string_view line) {
        auto& one = items.emplace_back();
        for (std::size_t at = line.find_first_not_of(between); at != std::string_view::npos;
             at = line.find_first_not_of(between, at)) {
            const std::size_t end = std::min(line.find_first_of(between, at), line.size());
            word = detail::as_utf8(line.substr(at, end - at));
            const auto [entry, is_new] = number.emplace(word, static_cast<std::int64_t>(number.size()));
            if (is_new) result.feature_names.push_back(word);
            one.push_back(entry->second);
            at = end;
        }
    });
    if (options.labelled) labels.finish(name, body, options.classes, result);
    result.x = sets(std::move(items));
    return result;
}

table read_strings(const std::string& path, const tsv_options& options) {
    const source file = read_source(path);
    return parse_strings(file.bytes(), file.name(), options);
}

table read_sets(const std::string& path, const tsv_options& options) {
    const source file = read_source(path);
    return parse_sets(file.bytes(), file.name(), options);
}

namespace {

bool looks_like_strings(std::string_view line) {
    const auto fields = detail::split(line, "\t");
    if (fields.size() < 2 || detail::is_number(fields.back())) return false;
    // Numbers between label and text are features, so it is a table whose last column is a class.
    return fields.size() == 2 || std::none_of(fields.begin() + 1, fields.end(), detail::is_number);
}

}  // namespace

const file_format& strings_format() {
    static const file_format about{"strings",
                                   {".strings"},
                                   [](const file_beginning& file) { return looks_like_strings(file.second); },
                                   [](const source& file, const read_options& options) {
                                       return parse_strings(file.bytes(), file.name(), options.tsv);
                                   }};
    return about;
}

const file_format& sets_format() {
    static const file_format about{"sets", {".sets"}, nullptr, [](const source& file, const read_options& options) {
                                       return parse_sets(file.bytes(), file.name(), options.tsv);
                                   }};
    return about;
}

}  // namespace mercer
