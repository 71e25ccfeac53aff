#include "request_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/text/joined.h"
#include "mercer/data/kinds/records.h"
#include "mercer/data/kinds/strings.h"
#include "mercer/data/readers/csv.h"

namespace mercer::cli {
namespace {

constexpr const char* source_name = "request";

// A value as the field of a table.
std::string field_of(const json& value, std::size_t row, const std::string& column) {
    if (value.is_null()) return {};
    if (value.is_string()) return csv_field(value.get_ref<const std::string&>());
    if (value.is_structured())
        fail(errc::data, fmt::format("row {}, column '{}': expected a number or a text, got {}", row + 1, column,
                                     value.is_array() ? "a list" : "an object"));
    return value.dump();
}

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (std::size_t c = 0; c < fields.size(); ++c) line += (c ? "," : "") + fields[c];
    return line + "\n";
}

std::string header_of(const std::vector<std::string>& names) {
    std::vector<std::string> fields;
    for (const auto& each : names) fields.push_back(csv_field(each));
    return csv_line(fields);
}

// Rows as lists, in the order of the model's columns.
std::string from_lists(const api::model& m, const json& rows, const std::vector<std::string>& names) {
    const auto width = m.columns_of_table ? m.columns_of_table->rules().size() : static_cast<std::size_t>(m.dims());
    std::string out = names.empty() ? "" : header_of(names);
    std::vector<std::string> fields(width);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!rows[r].is_array())
            fail(errc::data, fmt::format("row {}: expected a list as in row 1, got {}", r + 1, rows[r].dump()));
        if (rows[r].size() != width)
            fail(errc::data,
                 fmt::format("row {}: expected {}{}, got {}", r + 1, counted(static_cast<index>(width), "value"),
                             names.empty() ? "" : fmt::format(" ({})", joined(names, ", ")), rows[r].size()));
        for (std::size_t c = 0; c < width; ++c)
            fields[c] = field_of(rows[r][c], r, names.empty() ? std::to_string(c + 1) : names[c]);
        out += csv_line(fields);
    }
    return out;
}

// Rows as objects. What the model does not know is handed on, and judged as a column of a file is; its target is not
// looked at.
std::string from_objects(const json& rows, std::vector<std::string> names, const std::string& target) {
    std::unordered_map<std::string, std::size_t> at;
    for (std::size_t c = 0; c < names.size(); ++c) at.emplace(names[c], c);
    const std::size_t known = names.size();
    for (const json& row : rows)
        if (row.is_object())
            for (const auto& [name, value] : row.items())
                if (name != target && at.emplace(name, names.size()).second) names.push_back(name);
    std::string out = header_of(names);
    std::vector<std::string> fields(names.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!rows[r].is_object())
            fail(errc::data, fmt::format("row {}: expected an object as in row 1, got {}", r + 1, rows[r].dump()));
        for (std::size_t c = 0; c < names.size(); ++c) {
            const auto found = rows[r].find(names[c]);
            if (found == rows[r].end() && c < known)
                fail(errc::data,
                     fmt::format("row {}: the column '{}' is missing (null says that its value is)", r + 1, names[c]));
            fields[c] = found == rows[r].end() ? std::string() : field_of(*found, r, names[c]);
        }
        out += csv_line(fields);
    }
    return out;
}

// Rows as objects whose names are positions, as in LIBSVM's files.
std::string from_positions(const json& rows) {
    std::string out;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!rows[r].is_object())
            fail(errc::data, fmt::format("row {}: expected an object as in row 1, got {}", r + 1, rows[r].dump()));
        std::map<std::int64_t, std::string> entries;
        for (const auto& [name, value] : rows[r].items()) {
            std::int64_t position = 0;
            const auto end = name.data() + name.size();
            const auto [stop, fault] = std::from_chars(name.data(), end, position);
            if (fault != std::errc{} || stop != end || position < 1)
                fail(errc::data, fmt::format("row {}: the model's columns have no names, so expected a position from "
                                             "1 on, got '{}'",
                                             r + 1, name));
            if (!value.is_number())
                fail(errc::data,
                     fmt::format("row {}, column {}: expected a number, got {}", r + 1, name, value.dump()));
            entries[position] = value.dump();
        }
        out += "0";
        for (const auto& [position, value] : entries) out += fmt::format(" {}:{}", position, value);
        out += "\n";
    }
    return out;
}

table from_texts(const api::model& m, const json& rows) {
    std::vector<std::string> items;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const bool named = rows[r].is_object() && !m.text_column.empty() && rows[r].contains(m.text_column);
        const json& text = named ? rows[r][m.text_column] : rows[r];
        if (!text.is_string())
            fail(errc::data,
                 fmt::format("row {}: expected a text{}, got {}", r + 1,
                             m.text_column.empty() ? "" : fmt::format(" as '{}'", m.text_column), rows[r].dump()));
        items.push_back(text.get<std::string>());
    }
    table out;
    out.x = strings(std::move(items));
    return out;
}

json parsed_rows(std::string_view body) {
    json all;
    try {
        all = json::parse(body);
    } catch (const json::exception& wrong) {
        const std::string said = wrong.what();  // [json.exception.parse_error.101] parse error at line 1, column 2: …
        fail(errc::parse, "JSON: " + said.substr(std::min(said.size(), said.find("] ") + 2)));
    }
    if (all.is_object() && all.contains("rows")) all = all["rows"];
    if (!all.is_array())
        fail(errc::data, "expected a list of rows, or {\"rows\": [...]}: a single row is a list of one");
    if (all.empty()) fail(errc::data, "expected at least one row, got an empty list");
    return all;
}

// Without the place in a text that the sender has not written.
[[noreturn]] void fail_without_place(const error& wrong) {
    const std::string said = wrong.what();
    const auto end = said.find(": ");
    fail(wrong.code(), said.starts_with(source_name) && end != std::string::npos ? said.substr(end + 2) : said);
}

}  // namespace

std::vector<std::string> columns_wanted(const api::model& m) {
    if (!m.columns_of_table) return m.kind() == domain::vectors ? m.feature_names() : std::vector<std::string>{};
    if (!m.columns_of_table->named()) return {};
    std::vector<std::string> names;
    for (const column_rule& rule : m.columns_of_table->rules()) names.push_back(rule.name);
    return names;
}

table request_rows(const api::model& m, const request_text& from, const std::function<void(const std::string&)>& tell) {
    model_data how;
    const std::string_view start = detail::trimmed(detail::without_mark(from.body));
    const bool in_json = from.type == "application/json" ||
                         (from.format.empty() && from.type != "text/csv" && start.find_first_of("[{") == 0);
    const bool of_table = m.kind() == domain::vectors || !m.text_column.empty();
    if (!in_json) {
        how.format = !from.format.empty() ? from.format : of_table && from.type == "text/csv" ? "csv" : "auto";
        return how.load(m, source(source_name, from.body, nullptr), tell);
    }
    const json rows = parsed_rows(from.body);
    if (m.kind() == strings::where && !m.columns_of_table) return from_texts(m, rows);
    std::string text;
    how.label = "none";
    if (m.kind() == domain::vectors) {
        const std::vector<std::string> names = columns_wanted(m);
        const bool objects = rows[0].is_object();
        how.format = objects && names.empty() ? "libsvm" : "csv";
        how.header = names.empty() ? csv_header::absent : csv_header::present;
        text = !objects        ? from_lists(m, rows, names)
               : names.empty() ? from_positions(rows)
                               : from_objects(rows, names, m.label);
    } else {
        how.format = m.kind() == records::where ? "jsonl" : "auto";
        for (const json& row : rows) text += row.dump() + "\n";
    }
    try {
        return how.load(m, source(source_name, text, nullptr), tell);
    } catch (const error& wrong) {
        fail_without_place(wrong);
    }
}

}  // namespace mercer::cli
