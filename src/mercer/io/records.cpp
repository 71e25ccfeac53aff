#include "mercer/io/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/number.h"
#include "mercer/data/all_kinds.h"
#include "mercer/io/brackets.h"
#include "mercer/io/csv_text.h"
#include "mercer/io/read.h"

namespace mercer {

std::string kind_asked(const record_options& options, const std::string& field) {
    const auto found = options.kinds.find(field);
    return found == options.kinds.end() ? std::string() : found->second;
}

namespace {

// One column of comma-separated text.
struct csv_column {
    std::string name;
    std::vector<std::string> cells;
    std::vector<std::size_t> offsets;
};

dataset values_of(const csv_column& column, const std::string& file, std::string_view text, const std::string& asked) {
    const bool all_numbers =
        std::ranges::all_of(column.cells, [](const std::string& cell) { return detail::is_number(cell); });
    if (asked == name(trees::where)) {
        std::vector<tree> all;
        for (std::size_t i = 0; i < column.cells.size(); ++i)
            all.push_back(parse_tree(column.cells[i], detail::place(file, text, column.offsets[i]), column.cells[i]));
        return trees(std::move(all));
    }
    if (asked == name(sets::where)) {
        std::vector<std::vector<std::int64_t>> all;
        for (const std::string& cell : column.cells) {
            auto& one = all.emplace_back();
            for (const std::string_view item : detail::split(cell, " "))
                if (!item.empty()) one.push_back(item_number(std::string(item)));
        }
        return sets(std::move(all));
    }
    if (!asked.empty() && asked != name(strings::where) && asked != name(domain::vectors))
        fail(errc::unsupported, fmt::format("{}: a column holds no {}, which the kernel compares in field '{}': JSON "
                                            "lines can",
                                            file, asked, column.name));
    if (asked == name(strings::where) || (asked.empty() && !all_numbers)) return strings(column.cells);
    std::vector<double> values;
    for (std::size_t i = 0; i < column.cells.size(); ++i) {
        double value = 0;
        if (detail::parse_number(column.cells[i], value) != detail::number_fault::none || !std::isfinite(value))
            detail::fail_at(errc::data, file, text, column.offsets[i],
                            fmt::format("expected a finite number in field '{}', got {}", column.name,
                                        detail::quoted(column.cells[i])));
        values.push_back(value);
    }
    matrix<double> rows(static_cast<index>(values.size()), 1);
    std::copy(values.begin(), values.end(), rows.data());
    return dense<double>(std::move(rows));
}

}  // namespace

table parse_csv_records(const source& file, const read_options& options) {
    const std::string_view text = detail::without_mark(file.bytes());
    const char separator = options.csv.separator ? options.csv.separator : detail::guess_separator(text);
    detail::record_reader reader(text, file.name(), separator);
    std::vector<detail::csv_text_field> row;
    if (!reader.next(row)) fail(errc::data, fmt::format("{}: expected at least one example, got none", file.name()));
    std::vector<csv_column> columns;
    std::vector<std::string> header;
    for (const auto& cell : row) header.push_back(detail::as_utf8(cell.text));
    for (const std::string& each : header) columns.push_back({each, {}, {}});
    const auto label = detail::label_position(options.csv, header, header.size(), file.name());
    detail::label_column labels;
    index rows = 0;
    for (std::size_t line = reader.offset(); reader.next(row); line = reader.offset(), ++rows) {
        if (row.size() != columns.size())
            detail::fail_at(errc::parse, file.name(), text, line,
                            fmt::format("expected {} fields as in the header, got {}", columns.size(), row.size()));
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (label && c == *label) {
                labels.add(row[c].text, row[c].offset);
                continue;
            }
            columns[c].cells.emplace_back(row[c].text);
            columns[c].offsets.push_back(row[c].offset);
        }
    }
    if (rows == 0) fail(errc::data, fmt::format("{}: expected at least one example, got none", file.name()));
    table out;
    std::vector<records::field> fields;
    for (std::size_t c = 0; c < columns.size(); ++c)
        if (!label || c != *label)
            fields.push_back({columns[c].name,
                              values_of(columns[c], file.name(), text, kind_asked(options.records, columns[c].name))});
    if (fields.empty()) fail(errc::data, fmt::format("{}: no field beside the label", file.name()));
    if (label) labels.finish(file.name(), text, options.csv.classes, out);
    out.x = records(std::move(fields));
    out.label = options.csv.label;
    return out;
}

namespace {

bool is_json(std::string_view bytes) {
    const std::string_view text = detail::without_mark(bytes);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

table parse_records(const source& file, const read_options& options) {
    return is_json(file.bytes()) ? parse_json_records(file, options) : parse_csv_records(file, options);
}

const file_format& records_format() {
    static const file_format about{"records",
                                   {".records"},
                                   nullptr,
                                   parse_records,
                                   nullptr,
                                   nullptr,
                                   [](std::string& text, index rows, const read_options& options) {
                                       if (is_json(text)) return detail::cut_to_lines(text, rows, detail::is_filled);
                                       csv_options csv = options.csv;
                                       csv.header = csv_header::present;
                                       return detail::cut_to_records(text, rows, csv);
                                   }};
    return about;
}

const file_format& json_records_format() {
    static const file_format about{"jsonl",
                                   {},  // by the first line: graphs are JSON lines too
                                   [](const file_beginning& file) { return file.first_line.starts_with("{"); },
                                   parse_json_records,
                                   nullptr,
                                   nullptr,
                                   [](std::string& text, index rows, const read_options&) {
                                       return detail::cut_to_lines(text, rows, detail::is_filled);
                                   }};
    return about;
}

}  // namespace mercer
