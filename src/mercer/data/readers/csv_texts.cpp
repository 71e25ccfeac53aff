// A column of comma-separated text as strings.
#include <fmt/format.h>

#include "mercer/data/kinds/strings.h"
#include "mercer/data/readers/csv_text.h"

namespace mercer::detail {

table parse_texts(const source& file, const csv_options& options) {
    const std::string_view text = without_mark(file.bytes());
    const char separator = options.separator ? options.separator : guess_separator(text);
    record_reader records(text, file.name(), separator);
    std::vector<std::string> header, items;
    std::vector<csv_text_field> row;
    if (has_header(text, file.name(), separator, options) && records.next(row))
        for (const csv_text_field& one : row) header.push_back(as_utf8(one.text));
    std::optional<std::size_t> at, label;
    std::size_t columns = header.size();
    label_column labels;
    while (records.next(row)) {
        if (items.empty()) {
            if (header.empty()) columns = row.size();
            at = column_position(options.text, "text", header, columns, file.name());
            label = column_position(options.label, "label", header, columns, file.name());
        }
        if (row.size() != columns)
            fail_at(errc::parse, file.name(), text, row.front().offset,
                    fmt::format("row {}: expected {} fields, got {}", items.size() + 1, columns, row.size()));
        items.emplace_back(row[*at].text);
        if (label && row[*label].text.empty())
            fail_at(errc::data, file.name(), text, row[*label].offset,
                    fmt::format("row {}: expected a label, got an empty field", items.size()));
        if (label) labels.add(row[*label].text, row[*label].offset);
    }
    if (items.empty()) fail(errc::data, fmt::format("{}: expected at least one row of data, got none", file.name()));
    table result;
    if (label) labels.finish(file.name(), text, options.classes, result);
    result.x = strings(std::move(items));
    return result;
}

}  // namespace mercer::detail
