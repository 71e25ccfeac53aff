#include "mercer/data/readers/objects/records.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>

#include "mercer/data/kinds/all_kinds.h"
#include "mercer/data/readers/csv_text.h"
#include "mercer/data/readers/number.h"
#include "mercer/data/readers/objects/json.h"
#include "mercer/data/readers/read.h"

namespace mercer {
namespace {

std::string kind_asked(const read_options& options, const std::string& field) {
    const auto found = options.records.kinds.find(field);
    return found == options.records.kinds.end() ? std::string() : found->second;
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
            fields.push_back(
                {columns[c].name, values_of(columns[c], file.name(), text, kind_asked(options, columns[c].name))});
    if (fields.empty()) fail(errc::data, fmt::format("{}: no field beside the label", file.name()));
    if (label) labels.finish(file.name(), text, options.csv.classes, out);
    out.x = records(std::move(fields));
    out.label = options.csv.label;
    return out;
}

namespace {

// A value of a field: a text, a number, or a list of either.
struct json_value {
    bool is_list = false;
    std::vector<std::string> texts{};
    std::vector<double> numbers{};
    std::size_t offset = 0;
};

// One text, number, true or false.
void read_item(detail::json_cursor& at, json_value& out) {
    const char first = at.peek();
    if (first == '"')
        out.texts.push_back(at.string());
    else if (first == 't' || first == 'f')
        out.numbers.push_back(at.boolean());
    else
        out.numbers.push_back(at.number());
}

json_value read_value(detail::json_cursor& at) {
    json_value out;
    out.is_list = at.peek() == '[';
    out.offset = at.offset();
    if (out.is_list)
        at.each_item([&] { read_item(at, out); });
    else
        read_item(at, out);
    return out;
}

// The values of one field in all lines.
class json_field {
public:
    json_field(const std::string& file, std::string_view text, const std::string& name,
               const std::vector<json_value>& values)
        : file_(file), text_(text), name_(name), values_(values) {}

    dataset values(const std::string& asked) const {
        const json_value& first = values_.front();
        if (asked == name(sets::where) || (asked.empty() && first.is_list && !first.texts.empty())) return as_sets();
        if (asked == name(strings::where) || (asked.empty() && !first.texts.empty())) return as_strings();
        return as_numbers(static_cast<index>(first.numbers.size()), first.is_list);
    }

private:
    [[noreturn]] void wrong(const json_value& at, const std::string& expected) const {
        detail::fail_at(errc::data, file_, text_, at.offset,
                        fmt::format("expected {} in field '{}', as in the first line", expected, name_));
    }
    dataset as_strings() const {
        std::vector<std::string> out;
        for (const json_value& each : values_) {
            if (each.is_list || each.texts.empty()) wrong(each, "a text");
            out.push_back(each.texts.front());
        }
        return strings(std::move(out));
    }
    dataset as_sets() const {
        std::vector<std::vector<std::int64_t>> out;
        for (const json_value& each : values_) {
            if (!each.is_list || !each.numbers.empty()) wrong(each, "a list of texts");
            auto& one = out.emplace_back();
            for (const std::string& item : each.texts) one.push_back(item_number(item));
        }
        return sets(std::move(out));
    }
    dataset as_numbers(index dims, bool list) const {
        std::vector<double> out;
        for (const json_value& each : values_) {
            const bool fits = each.is_list == list && each.texts.empty() &&
                              static_cast<index>(each.numbers.size()) == dims &&
                              std::ranges::all_of(each.numbers, [](double v) { return std::isfinite(v); });
            if (!fits) wrong(each, list ? fmt::format("a list of {} finite numbers", dims) : "a finite number");
            out.insert(out.end(), each.numbers.begin(), each.numbers.end());
        }
        matrix<double> rows(static_cast<index>(values_.size()), dims);
        std::copy(out.begin(), out.end(), rows.data());
        return dense<double>(std::move(rows));
    }

    const std::string& file_;
    std::string_view text_;
    const std::string& name_;
    const std::vector<json_value>& values_;
};

// All lines of one file.
class json_lines {
public:
    json_lines(const source& file, const read_options& options)
        : file_(file), text_(detail::without_mark(file.bytes())), options_(options), label_(options.csv.label) {}

    table read() {
        std::string_view rest = text_, line;
        while (detail::next_line(rest, line))
            if (!detail::trimmed(line).empty()) add(line);
        if (rows_ == 0) fail(errc::data, fmt::format("{}: expected at least one example, got none", file_.name()));
        if (columns_.empty()) fail(errc::data, fmt::format("{}: no field beside the label", file_.name()));
        table out;
        std::vector<records::field> fields;
        for (const auto& [key, values] : columns_)
            fields.push_back({key, json_field(file_.name(), text_, key, values).values(kind_asked(options_, key))});
        if (!label_.empty()) labels_.finish(file_.name(), text_, options_.csv.classes, out);
        out.x = records(std::move(fields));
        out.label = label_;
        return out;
    }

private:
    void add(std::string_view line) {
        detail::json_cursor at(file_.name(), text_, line);
        const std::size_t offset = static_cast<std::size_t>(line.data() - text_.data());
        bool labelled = false;
        at.each_member([&](const std::string& key) {
            if (rows_ == 0 && label_.empty() && key == "label") label_ = key;
            if (key == label_) {
                if (labelled) at.fail_expecting(fmt::format("'{}' once", key));
                labelled = true;
                at.peek();
                const std::size_t place = at.offset();
                labels_.add(label_texts_.emplace_back(at.peek() == '"' ? at.string() : std::string(at.number_token())),
                            place);
                return;
            }
            auto& column = columns_[key];
            if (column.size() != rows_)
                at.fail_expecting(fmt::format("no field '{}': not every line before has it", key));
            column.push_back(read_value(at));
        });
        at.end();
        ++rows_;
        const auto missing = [&](const std::string& what) {
            detail::fail_at(errc::data, file_.name(), text_, offset, "expected " + what);
        };
        if (!label_.empty() && !labelled) missing(fmt::format("the target '{}'", label_));
        for (const auto& [key, column] : columns_)
            if (column.size() != rows_) missing(fmt::format("the field '{}'", key));
    }

    const source& file_;
    std::string_view text_;
    const read_options& options_;
    std::string label_;
    std::map<std::string, std::vector<json_value>> columns_;
    std::deque<std::string> label_texts_;  // never moves what it holds
    detail::label_column labels_;
    std::size_t rows_ = 0;
};

}  // namespace

table parse_json_records(const source& file, const read_options& options) { return json_lines(file, options).read(); }

const file_format& csv_records_format() {
    static const file_format about{"records", {".records"}, nullptr, parse_csv_records};
    return about;
}

const file_format& json_records_format() {
    static const file_format about{"jsonl",
                                   {},  // by the first line: graphs are JSON lines too
                                   [](const file_beginning& file) { return file.first_line.starts_with("{"); },
                                   parse_json_records};
    return about;
}

}  // namespace mercer
