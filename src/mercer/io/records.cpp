#include "mercer/io/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "mercer/base/text.h"
#include "mercer/base/workspace.h"
#include "mercer/data/all_kinds.h"
#include "mercer/data/records.h"
#include "mercer/io/csv.h"
#include "mercer/io/json_graphs.h"
#include "mercer/io/read.h"
#include "mercer/io/record_ends.h"
#include "mercer/io/target_column.h"
#include "mercer/io/tsv.h"

namespace mercer {

std::string requested_kind(const record_options& options, const std::string& field) {
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

dataset values_of(const csv_column& column, const std::string& file, std::string_view text,
                  const std::string& requested) {
    const bool all_numbers =
        std::ranges::all_of(column.cells, [](const std::string& cell) { return detail::is_number(cell); });
    if (requested == name(trees::kind)) {
        std::vector<tree> all;
        for (std::size_t i = 0; i < column.cells.size(); ++i)
            all.push_back(
                parse_tree(column.cells[i], detail::text_position(file, text, column.offsets[i]), column.cells[i]));
        return trees(std::move(all));
    }
    if (requested == name(sets::kind)) {
        std::vector<std::vector<std::int64_t>> all;
        for (const std::string& cell : column.cells) {
            auto& one = all.emplace_back();
            for (const std::string_view item : detail::split(cell, " "))
                if (!item.empty()) one.push_back(item_number(std::string(item)));
        }
        return sets(std::move(all));
    }
    if (!requested.empty() && requested != name(strings::kind) && requested != name(object_kind::vectors))
        fail(errc::unsupported, fmt::format("{}: a column of a table cannot contain {}, which the kernel compares in "
                                            "field '{}': write the data as JSON lines",
                                            file, requested, column.name));
    if (requested == name(strings::kind) || (requested.empty() && !all_numbers)) return strings(column.cells);
    std::vector<double> values;
    for (std::size_t i = 0; i < column.cells.size(); ++i) {
        double value = 0;
        if (detail::parse_number(column.cells[i], value) != detail::number_error::none || !std::isfinite(value))
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

table parse_csv_records(const file_contents& file, const read_options& options) {
    const std::string_view text = detail::without_byte_order_mark(file.bytes());
    const char separator = options.csv.separator ? options.csv.separator : detail::detect_separator(text);
    detail::record_reader reader(text, file.name(), separator);
    std::vector<detail::csv_text_field> row;
    if (!reader.next(row)) fail(errc::data, fmt::format("{}: expected at least one example, got none", file.name()));
    std::vector<csv_column> columns;
    std::vector<std::string> header;
    for (const auto& cell : row) header.push_back(detail::to_utf8(cell.text));
    for (const std::string& each : header) columns.push_back({each, {}, {}});
    const auto label = detail::find_label_column(options.csv, header, header.size(), file.name());
    detail::label_column labels;
    index rows = 0;
    for (std::size_t line = reader.offset(); reader.next(row); line = reader.offset(), ++rows) {
        if (row.size() != columns.size())
            detail::fail_at(errc::parse, file.name(), text, line,
                            fmt::format("expected {} fields like the header, got {}", columns.size(), row.size()));
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
            fields.push_back({columns[c].name, values_of(columns[c], file.name(), text,
                                                         requested_kind(options.records, columns[c].name))});
    if (fields.empty())
        fail(errc::data, fmt::format("{}: expected at least one field beside the target, got none", file.name()));
    if (label) labels.finish(file.name(), text, options.csv.classes, out);
    out.x = records(std::move(fields));
    out.label = options.csv.label;
    return out;
}

namespace {

bool is_json(std::string_view bytes) {
    const std::string_view text = detail::without_byte_order_mark(bytes);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

table parse_records(const file_contents& file, const read_options& options) {
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
                                       if (is_json(text)) return detail::cut_to_lines(text, rows, detail::is_not_blank);
                                       csv_options csv = options.csv;
                                       csv.header = csv_header::present;
                                       return detail::cut_to_records(text, rows, csv);
                                   }};
    return about;
}

const file_format& json_records_format() {
    static const file_format about{"jsonl",
                                   {},  // no ending: graphs may be named .jsonl too, so the first line decides
                                   [](const file_beginning& file) { return file.first_line.starts_with("{"); },
                                   parse_json_records,
                                   nullptr,
                                   nullptr,
                                   [](std::string& text, index rows, const read_options&) {
                                       return detail::cut_to_lines(text, rows, detail::is_not_blank);
                                   }};
    return about;
}

namespace {

// Parses the JSON lines of a file.
class json_lines {
public:
    json_lines(const file_contents& file, const read_options& options)
        : file_(file),
          text_(detail::without_byte_order_mark(file.bytes())),
          options_(options),
          label_(options.csv.label) {}

    table read() {
        std::string_view rest = text_, line;
        while (detail::next_line(rest, line))
            if (!detail::trimmed(line).empty()) add(line);
        if (rows_ == 0) fail(errc::data, fmt::format("{}: expected at least one example, got none", file_.name()));
        if (columns_.empty())
            fail(errc::data, fmt::format("{}: expected at least one field beside the target, got none", file_.name()));
        table out;
        std::vector<records::field> fields;
        for (const auto& [key, values] : columns_)
            fields.push_back(
                {key,
                 detail::json_field(file_.name(), text_, key, values).values(requested_kind(options_.records, key))});
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
        at.for_each_member([&](const std::string& key) {
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
                at.fail_expecting(fmt::format("no field '{}', which earlier lines do not have", key));
            reserve_value(column);
            column.push_back(detail::read_json_value(at));
        });
        at.require_end();
        ++rows_;
        const auto missing = [&](const std::string& what) {
            detail::fail_at(errc::data, file_.name(), text_, offset, "expected " + what);
        };
        if (!label_.empty() && !labelled) missing(fmt::format("the target '{}'", label_));
        for (const auto& [key, column] : columns_)
            if (column.size() != rows_) missing(fmt::format("the field '{}'", key));
    }

    // Reserves memory before a value is added: 512 bytes for the name and the map entry of a new column, and as many
    // values as the column contains if the vector is full and doubles its capacity.
    static void reserve_value(const std::vector<detail::json_value>& column) {
        constexpr std::size_t per_column = 512;
        if (column.empty()) reserve_workspace(per_column);
        if (column.size() == column.capacity())
            reserve_workspace(std::max<std::size_t>(1, column.size()) * sizeof(detail::json_value));
    }

    const file_contents& file_;
    std::string_view text_;
    const read_options& options_;
    std::string label_;
    std::map<std::string, std::vector<detail::json_value>> columns_;
    std::deque<std::string> label_texts_;  // a deque does not move its elements
    detail::label_column labels_;
    std::size_t rows_ = 0;
};

}  // namespace

table parse_json_records(const file_contents& file, const read_options& options) {
    return json_lines(file, options).read();
}

namespace detail {
namespace {

// Reads a text, a number, true or false.
void read_item(json_cursor& at, json_value& out) {
    const char first = at.peek();
    if (first == '"')
        out.texts.push_back(at.string());
    else if (first == 't' || first == 'f')
        out.numbers.push_back(at.boolean());
    else
        out.numbers.push_back(at.number());
}

// Reads a list of lists of numbers, which must have equal lengths, and appends the numbers to `out`. Returns the
// length.
index read_rows(json_cursor& at, std::vector<double>& out) {
    index width = -1;
    at.for_each_item([&] {
        const std::size_t before = out.size();
        json_cursor row = at;
        at.for_each_item([&] { out.push_back(at.number()); });
        const auto count = static_cast<index>(out.size() - before);
        if (width < 0) width = count;
        if (count != width || width == 0)
            row.fail_expecting(fmt::format("a list of {} numbers", std::max<index>(width, 1)));
    });
    return std::max<index>(width, 0);
}

void read_points(json_cursor& at, json_value& out) {
    std::vector<std::int32_t>& elements = out.cloud.elements;
    const json_cursor before = at;
    at.for_each_member([&](const std::string& key) {
        if (key == "coordinates") {
            if (const index dims = read_rows(at, out.cloud.coordinates); dims > 0) out.cloud.dims = dims;
        } else if (key == "elements") {
            at.for_each_item([&] {
                json_cursor element = at;
                const bool symbol = at.peek() == '"';
                const double number = symbol ? element_number(at.string()) : at.number();
                if (!(number >= 0 && number <= 118 && number == std::floor(number)))
                    element.fail_expecting("the symbol of an element or its number, 0 to 118");
                elements.push_back(static_cast<std::int32_t>(number));
            });
        } else {
            at.skip();
        }
    });
    const std::size_t count = out.cloud.coordinates.size() / static_cast<std::size_t>(out.cloud.dims);
    if (elements.empty()) elements.assign(count, 0);
    if (elements.size() != count)
        before.fail_with(
            fmt::format("expected one element per point, got {} elements for {} points", elements.size(), count));
}

void read_counts(json_cursor& at, json_value& out) {
    at.for_each_member([&](const std::string& key) {
        json_cursor before = at;
        const double count = at.number();
        if (!(count >= 0 && count <= 0x1p53 && count == std::floor(count)))
            before.fail_expecting("a count, a whole number from 0");
        out.counts.push_back({item_number(key), static_cast<std::int64_t>(count)});
    });
}

// Returns the form of a JSON object, which its members determine.
json_form detect_form(json_cursor look) {
    json_form found = json_form::counts;
    look.for_each_member([&](const std::string& key) {
        if (key == "nodes" || key == "edges") found = json_form::graph;
        if (key == "coordinates") found = json_form::points;
        look.skip();
    });
    return found;
}

}  // namespace

json_value read_json_value(json_cursor& at) {
    json_value out;
    const char first = at.peek();
    out.offset = at.offset();
    if (first == '{') {
        out.form = detect_form(at);
        if (out.form == json_form::graph)
            out.graph = read_graph(at);
        else if (out.form == json_form::points)
            read_points(at, out);
        else
            read_counts(at, out);
    } else if (first == '[') {
        json_cursor look = at;
        bool nested = false, begun = false;
        look.for_each_item([&] {
            if (!begun) nested = look.peek() == '[';
            begun = true;
            look.skip();
        });
        out.form = nested ? json_form::lists : json_form::list;
        if (nested)
            out.width = read_rows(at, out.numbers);
        else
            at.for_each_item([&] { read_item(at, out); });
    } else {
        read_item(at, out);
    }
    return out;
}

void json_field::fail_expecting(const json_value& at, const std::string& expected) const {
    fail_at(errc::data, file_, text_, at.offset,
            fmt::format("expected {} in field '{}', as in the first line", expected, name_));
}

std::string json_field::kind() const {
    const json_value& first = values_.front();
    switch (first.form) {
        case json_form::graph: return name(graphs::kind);
        case json_form::points: return name(points::kind);
        case json_form::counts: return name(multisets::kind);
        case json_form::lists: return name(series::kind);
        case json_form::one: return first.texts.empty() ? name(object_kind::vectors) : name(strings::kind);
        case json_form::list: break;
    }
    const bool texts = std::ranges::any_of(values_, [](const json_value& each) { return !each.texts.empty(); });
    return texts ? name(sets::kind) : name(object_kind::vectors);
}

template <class Kind, class Item, class Take>
dataset json_field::as_objects(json_form form, const std::string& expected, Take take) const {
    std::vector<Item> out;
    for (const json_value& each : values_) {
        if (each.form != form) fail_expecting(each, expected);
        out.push_back(take(each));
    }
    return Kind(std::move(out));
}

dataset json_field::values(const std::string& requested) const {
    const std::string wanted = requested.empty() ? kind() : requested;
    if (wanted == name(strings::kind)) return as_strings();
    if (wanted == name(sets::kind)) return as_sets();
    if (wanted == name(trees::kind)) return as_trees();
    if (wanted == name(series::kind)) return as_series();
    if (wanted == name(graphs::kind))
        return as_objects<graphs, graph>(json_form::graph, "a graph {\"nodes\": ..., \"edges\": ...}",
                                         [](const json_value& each) { return *each.graph; });
    if (wanted == name(points::kind))
        return as_objects<points, point_cloud>(
            json_form::points, "points {\"coordinates\": ...}", [&](const json_value& each) {
                const index dims = values_.front().cloud.dims;
                if (each.cloud.dims != dims && each.cloud.size() > 0)
                    fail_expecting(each, fmt::format("{} coordinates per point", dims));
                if (!std::ranges::all_of(each.cloud.coordinates, [](double v) { return std::isfinite(v); }))
                    fail_expecting(each, "finite coordinates");
                return each.cloud;
            });
    if (wanted == name(multisets::kind))
        return as_objects<multisets, std::vector<counted_item>>(json_form::counts, "counts {\"item\": 2, ...}",
                                                                [](const json_value& each) { return each.counts; });
    if (wanted != name(object_kind::vectors))
        fail(errc::unsupported, fmt::format("{}: JSON lines cannot contain {}, which the kernel compares in field '{}'",
                                            file_, wanted, name_));
    return as_numbers();
}

dataset json_field::as_strings() const {
    std::vector<std::string> out;
    for (const json_value& each : values_) {
        if (each.form != json_form::one || each.texts.empty()) fail_expecting(each, "a text");
        out.push_back(each.texts.front());
    }
    return strings(std::move(out));
}

dataset json_field::as_trees() const {
    std::vector<tree> out;
    for (const json_value& each : values_) {
        if (each.form != json_form::one || each.texts.empty()) fail_expecting(each, "a tree in brackets");
        out.push_back(parse_tree(each.texts.front(), text_position(file_, text_, each.offset), each.texts.front()));
    }
    return trees(std::move(out));
}

dataset json_field::as_sets() const {
    std::vector<std::vector<std::int64_t>> out;
    for (const json_value& each : values_) {
        if (each.form != json_form::list || !each.numbers.empty()) fail_expecting(each, "a list of texts");
        auto& one = out.emplace_back();
        for (const std::string& item : each.texts) one.push_back(item_number(item));
    }
    return sets(std::move(out));
}

dataset json_field::as_numbers() const {
    const json_form form = values_.front().form;
    const auto dims = static_cast<index>(values_.front().numbers.size());
    std::vector<double> out;
    for (const json_value& each : values_) {
        const bool fits = each.form == form && form <= json_form::list && each.texts.empty() &&
                          static_cast<index>(each.numbers.size()) == dims &&
                          std::ranges::all_of(each.numbers, [](double v) { return std::isfinite(v); });
        if (!fits)
            fail_expecting(
                each, form == json_form::one ? "a finite number" : fmt::format("a list of {} finite numbers", dims));
        out.insert(out.end(), each.numbers.begin(), each.numbers.end());
    }
    matrix<double> rows(static_cast<index>(values_.size()), dims);
    std::copy(out.begin(), out.end(), rows.data());
    return dense<double>(std::move(rows));
}

dataset json_field::as_series() const {
    std::vector<one_series> out;
    for (const json_value& each : values_) {
        const bool fits = (each.form == json_form::list || each.form == json_form::lists) && each.texts.empty() &&
                          std::ranges::all_of(each.numbers, [](double v) { return std::isfinite(v); });
        if (!fits) fail_expecting(each, "a list of finite numbers");
        out.push_back({each.numbers, std::max<index>(each.width, 1)});
    }
    return series(std::move(out));
}

}  // namespace detail
}  // namespace mercer
