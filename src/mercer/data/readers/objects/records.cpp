#include "mercer/data/readers/objects/records.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mercer/data/kinds/all_kinds.h"
#include "mercer/data/readers/csv_text.h"
#include "mercer/data/readers/number.h"
#include "mercer/data/readers/read.h"

namespace mercer {
namespace {

using nlohmann::json;

std::string kind_asked(const read_options& options, const std::string& field) {
    const auto found = options.records.kinds.find(field);
    return found == options.records.kinds.end() ? std::string() : found->second;
}

dataset numbers(const std::vector<double>& values, index dims) {
    matrix<double> rows(static_cast<index>(values.size()) / std::max<index>(dims, 1), dims);
    std::copy(values.begin(), values.end(), rows.data());
    return dense<double>(std::move(rows));
}

// One column of comma-separated text.
struct csv_column {
    std::string name;
    std::vector<std::string> cells;
    std::vector<std::size_t> offsets;
};

dataset values_of(const csv_column& column, const std::string& file, std::string_view text, const std::string& asked) {
    const bool all_numbers =
        std::ranges::all_of(column.cells, [](const std::string& cell) { return detail::is_number(cell); });
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
    return numbers(values, 1);
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
            fields.push_back(
                {columns[c].name, values_of(columns[c], file.name(), text, kind_asked(options, columns[c].name))});
    if (fields.empty()) fail(errc::data, fmt::format("{}: no field beside the label", file.name()));
    if (label) labels.finish(file.name(), text, options.csv.classes, out);
    out.x = records(std::move(fields));
    out.label = options.csv.label;
    return out;
}

namespace {

// The values of one field of all objects, and the line of each.
struct json_column {
    std::vector<json> values;
    std::vector<std::size_t> offsets;
};

class json_field {
public:
    json_field(const std::string& file, std::string_view text, const std::string& name, const json_column& column)
        : file_(file), text_(text), name_(name), column_(column) {}

    dataset values(const std::string& asked) const {
        const json& first = column_.values.front();
        const bool list = first.is_array();
        if (asked == name(sets::where) || (asked.empty() && list && !first.empty() && first[0].is_string()))
            return as_sets();
        if (asked == name(strings::where) || (asked.empty() && first.is_string())) return as_strings();
        return as_numbers(list ? static_cast<index>(first.size()) : 1);
    }

private:
    [[noreturn]] void wrong(std::size_t i, const std::string& expected) const {
        detail::fail_at(errc::data, file_, text_, column_.offsets[i],
                        fmt::format("expected {} in field '{}', got {}", expected, name_,
                                    detail::quoted(column_.values[i].dump(-1, ' ', false, replace))));
    }
    dataset as_strings() const {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < column_.values.size(); ++i) {
            if (!column_.values[i].is_string()) wrong(i, "a text");
            out.push_back(column_.values[i].get<std::string>());
        }
        return strings(std::move(out));
    }
    dataset as_sets() const {
        std::vector<std::vector<std::int64_t>> out;
        for (std::size_t i = 0; i < column_.values.size(); ++i) {
            if (!column_.values[i].is_array()) wrong(i, "a list of texts");
            auto& one = out.emplace_back();
            for (const json& item : column_.values[i]) {
                if (!item.is_string()) wrong(i, "a list of texts");
                one.push_back(item_number(item.get<std::string>()));
            }
        }
        return sets(std::move(out));
    }
    dataset as_numbers(index dims) const {
        std::vector<double> out;
        const std::string expected = dims == 1 ? "a finite number" : fmt::format("a list of {} finite numbers", dims);
        for (std::size_t i = 0; i < column_.values.size(); ++i) {
            const json& value = column_.values[i];
            const json all = value.is_array() ? value : json::array({value});
            if (static_cast<index>(all.size()) != dims) wrong(i, expected);
            for (const json& each : all) {
                if (!each.is_number() && !each.is_boolean()) wrong(i, expected);
                out.push_back(each.is_boolean() ? each.get<bool>() : each.get<double>());
                if (!std::isfinite(out.back())) wrong(i, expected);
            }
        }
        return numbers(out, dims);
    }

    static constexpr auto replace = json::error_handler_t::replace;
    const std::string& file_;
    std::string_view text_;
    const std::string& name_;
    const json_column& column_;
};

json parse_line(const source& file, std::string_view text, std::string_view line) {
    const auto offset = static_cast<std::size_t>(line.data() - text.data());
    try {
        json made = json::parse(line);
        if (!made.is_object())
            detail::fail_at(errc::parse, file.name(), text, offset,
                            fmt::format("expected a JSON object, got {}", detail::quoted(line)));
        return made;
    } catch (const json::parse_error& wrong) {
        const std::size_t at = offset + std::min<std::size_t>(wrong.byte > 0 ? wrong.byte - 1 : 0, line.size());
        detail::fail_at(errc::parse, file.name(), text, at, "expected a JSON object on one line");
    }
}

}  // namespace

table parse_json_records(const source& file, const read_options& options) {
    const std::string_view text = detail::without_mark(file.bytes());
    std::map<std::string, json_column> columns;
    std::deque<std::string> label_texts;  // never moves what it holds
    detail::label_column labels;
    std::string label = options.csv.label;
    std::string_view rest = text, line;
    std::size_t rows = 0;
    while (detail::next_line(rest, line)) {
        if (detail::trimmed(line).empty()) continue;
        const auto offset = static_cast<std::size_t>(line.data() - text.data());
        json object = parse_line(file, text, line);
        if (rows == 0 && label.empty() && object.contains("label")) label = "label";
        if (!label.empty()) {
            if (!object.contains(label))
                detail::fail_at(errc::data, file.name(), text, offset, fmt::format("expected the target '{}'", label));
            const json target = object[label];
            labels.add(label_texts.emplace_back(target.is_string() ? target.get<std::string>() : target.dump()),
                       offset);
            object.erase(label);
        }
        for (auto& [key, value] : object.items()) {
            json_column& column = columns[key];
            if (column.values.size() != rows)
                detail::fail_at(errc::data, file.name(), text, offset,
                                fmt::format("field '{}' is here, but not in every line before", key));
            column.values.push_back(std::move(value));
            column.offsets.push_back(offset);
        }
        ++rows;
        for (const auto& [key, column] : columns)
            if (column.values.size() != rows)
                detail::fail_at(errc::data, file.name(), text, offset, fmt::format("expected the field '{}'", key));
    }
    if (rows == 0) fail(errc::data, fmt::format("{}: expected at least one example, got none", file.name()));
    if (columns.empty()) fail(errc::data, fmt::format("{}: no field beside the label", file.name()));
    table out;
    std::vector<records::field> fields;
    for (const auto& [key, column] : columns)
        fields.push_back({key, json_field(file.name(), text, key, column).values(kind_asked(options, key))});
    if (!label.empty()) labels.finish(file.name(), text, options.csv.classes, out);
    out.x = records(std::move(fields));
    out.label = label;
    return out;
}

const file_format& csv_records_format() {
    static const file_format about{"records", {".records"}, nullptr, parse_csv_records};
    return about;
}

const file_format& json_records_format() {
    static const file_format about{"jsonl",
                                   {".jsonl", ".ndjson"},
                                   [](const file_beginning& file) { return file.first_line.starts_with("{"); },
                                   parse_json_records};
    return about;
}

}  // namespace mercer
