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
    return {required_columns(m), width, m.label};
}

// Reserves the memory of the vectors that the column encoder makes from the lines of a text.
void reserve_encoded(const api::model& m, const std::string& text, const request_text& from) {
    if (!m.columns_of_table) return;
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    from.reserve(lines * static_cast<std::size_t>(m.dims()) * 2 * sizeof(double));
}

void warn_about_extra_columns(const std::set<std::string>& extra, const std::function<void(const std::string&)>& tell) {
    if (extra.empty()) return;
    const bool all = extra.size() < json_rows::max_extra;
    tell(fmt::format(
        "{} not among the columns of the model and ignored: {}{}",
        extra.size() == 1 ? "one column is" : fmt::format("{}{} columns are", all ? "" : "at least ", extra.size()),
        *extra.begin(), extra.size() > 1 ? ", ..." : ""));
}

table rows_from_json(const api::model& m, request_text from, const std::function<void(const std::string&)>& tell) {
    const json_rows rows(std::move(from.body));
    table out;
    if (m.kind() == strings::kind && !m.columns_of_table) {
        out.x = strings(rows.texts(m.text_column));
        return out;
    }
    const row_shape shape = shape_of(m);
    model_data how;
    how.label = "none";
    std::string text;
    if (m.kind() != object_kind::vectors) {
        how.format = m.kind() == records::kind ? "jsonl" : "auto";
        text = rows.lines();
    } else if (shape.names.empty() && rows.has_object_rows()) {
        how.format = "libsvm";
        text = rows.libsvm();
    } else if (m.columns_of_table) {
        how.format = "csv";
        how.header = shape.names.empty() ? csv_header::absent : csv_header::present;
        std::set<std::string> extra;
        text = rows.csv(shape, extra);
        warn_about_extra_columns(extra, tell);
        reserve_encoded(m, text, from);
    } else {
        out.x = rows.numbers(shape);
        out.feature_names = shape.names;
        return out;
    }
    try {
        how.allow_other_files = false;
        return how.load(m, file_contents(source_name, text, nullptr), tell);
    } catch (const error& wrong) {
        fail_without_place(wrong);
    }
}

}  // namespace

std::vector<std::string> required_columns(const api::model& m) {
    if (!m.columns_of_table) return m.kind() == object_kind::vectors ? m.feature_names() : std::vector<std::string>{};
    if (!m.columns_of_table->has_header()) return {};
    std::vector<std::string> names;
    for (const column_rule& rule : m.columns_of_table->rules()) names.push_back(rule.name);
    return names;
}

table request_rows(const api::model& m, request_text from, const std::function<void(const std::string&)>& tell) {
    const std::string_view start = detail::trimmed(detail::without_byte_order_mark(from.body));
    const bool in_json = from.type == "application/json" || from.type.ends_with("+json") ||
                         (from.format.empty() && from.type != "text/csv" && start.find_first_of("[{") == 0);
    if (in_json) {
        from.body.erase(0, from.body.size() - detail::without_byte_order_mark(from.body).size());
        return rows_from_json(m, std::move(from), tell);
    }
    const bool of_table = m.kind() == object_kind::vectors || !m.text_column.empty();
    model_data how;
    how.format = !from.format.empty() ? from.format : of_table && from.type == "text/csv" ? "csv" : "auto";
    how.allow_other_files = false;
    how.max_pixels = from.max_pixels;
    reserve_encoded(m, from.body, from);
    return how.load(m, file_contents(source_name, from.body, nullptr), tell);
}

}  // namespace mercer::cli
