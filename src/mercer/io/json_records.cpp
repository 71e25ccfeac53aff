#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "mercer/base/workspace.h"
#include "mercer/data/records.h"
#include "mercer/io/json_values.h"
#include "mercer/io/read.h"
#include "mercer/io/records.h"

namespace mercer {
namespace {

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
            fields.push_back(
                {key, detail::json_field(file_.name(), text_, key, values).values(kind_asked(options_.records, key))});
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
            reserve_value(column);
            column.push_back(detail::read_json_value(at));
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

    // A new column takes its name, its place in the map and the field made of it; a full one doubles its capacity.
    static void reserve_value(const std::vector<detail::json_value>& column) {
        constexpr std::size_t per_column = 512;
        if (column.empty()) reserve_workspace(per_column);
        if (column.size() == column.capacity())
            reserve_workspace(std::max<std::size_t>(1, column.size()) * sizeof(detail::json_value));
    }

    const source& file_;
    std::string_view text_;
    const read_options& options_;
    std::string label_;
    std::map<std::string, std::vector<detail::json_value>> columns_;
    std::deque<std::string> label_texts_;  // never moves what it holds
    detail::label_column labels_;
    std::size_t rows_ = 0;
};

}  // namespace

table parse_json_records(const source& file, const read_options& options) { return json_lines(file, options).read(); }

}  // namespace mercer
