#include "request_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "json_rows.h"
#include "mercer/base/error.h"
#include "mercer/data/records.h"
#include "mercer/data/strings.h"

namespace mercer::cli {
namespace {

constexpr const char* source_name = "request";

// Drops the position in the generated text from the message: the sender has not written that text.
[[noreturn]] void fail_without_place(const error& wrong) {
    const std::string said = wrong.what();
    const auto end = said.find(": ");
    fail(wrong.code(), said.starts_with(source_name) && end != std::string::npos ? said.substr(end + 2) : said);
}

row_shape shape_of(const api::model& m) {
    const auto width = m.columns_of_table ? m.columns_of_table->rules().size() : static_cast<std::size_t>(m.dims());
    return {columns_wanted(m), width, m.label};
}

// Reserves the memory of the vectors that the column encoder makes from the lines of a text.
void reserve_encoded(const api::model& m, const std::string& text, const request_text& from) {
    if (!m.columns_of_table) return;
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    from.reserve(lines * static_cast<std::size_t>(m.dims()) * 2 * sizeof(double));
}

void tell_extra(const std::set<std::string>& extra, const std::function<void(const std::string&)>& tell) {
    if (extra.empty()) return;
    const bool all = extra.size() < json_rows::most_extra;
    tell(fmt::format(
        "{} not among the columns of the model, and left out: {}{}",
        extra.size() == 1 ? "one column is" : fmt::format("{}{} columns are", all ? "" : "at least ", extra.size()),
        *extra.begin(), extra.size() > 1 ? ", ..." : ""));
}

table from_json(const api::model& m, request_text from, const std::function<void(const std::string&)>& tell) {
    const json_rows rows(std::move(from.body));
    table out;
    if (m.kind() == strings::where && !m.columns_of_table) {
        out.x = strings(rows.texts(m.text_column));
        return out;
    }
    const row_shape shape = shape_of(m);
    model_data how;
    how.label = "none";
    std::string text;
    if (m.kind() != domain::vectors) {
        how.format = m.kind() == records::where ? "jsonl" : "auto";
        text = rows.lines();
    } else if (shape.names.empty() && rows.begin_with_object()) {
        how.format = "libsvm";
        text = rows.libsvm();
    } else if (m.columns_of_table) {
        how.format = "csv";
        how.header = shape.names.empty() ? csv_header::absent : csv_header::present;
        std::set<std::string> extra;
        text = rows.csv(shape, extra);
        tell_extra(extra, tell);
        reserve_encoded(m, text, from);
    } else {
        out.x = rows.numbers(shape);
        out.feature_names = shape.names;
        return out;
    }
    try {
        how.other_files = false;
        return how.load(m, source(source_name, text, nullptr), tell);
    } catch (const error& wrong) {
        fail_without_place(wrong);
    }
}

}  // namespace

std::vector<std::string> columns_wanted(const api::model& m) {
    if (!m.columns_of_table) return m.kind() == domain::vectors ? m.feature_names() : std::vector<std::string>{};
    if (!m.columns_of_table->named()) return {};
    std::vector<std::string> names;
    for (const column_rule& rule : m.columns_of_table->rules()) names.push_back(rule.name);
    return names;
}

table request_rows(const api::model& m, request_text from, const std::function<void(const std::string&)>& tell) {
    const std::string_view start = detail::trimmed(detail::without_mark(from.body));
    const bool in_json = from.type == "application/json" || from.type.ends_with("+json") ||
                         (from.format.empty() && from.type != "text/csv" && start.find_first_of("[{") == 0);
    if (in_json) {
        from.body.erase(0, from.body.size() - detail::without_mark(from.body).size());
        return from_json(m, std::move(from), tell);
    }
    const bool of_table = m.kind() == domain::vectors || !m.text_column.empty();
    model_data how;
    how.format = !from.format.empty() ? from.format : of_table && from.type == "text/csv" ? "csv" : "auto";
    how.other_files = false;
    how.most_pixels = from.most_pixels;
    reserve_encoded(m, from.body, from);
    return how.load(m, source(source_name, from.body, nullptr), tell);
}

}  // namespace mercer::cli
