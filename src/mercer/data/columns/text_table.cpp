#include "mercer/data/columns/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/data/readers/csv_text.h"

namespace mercer {

struct text_table::held {
    held(const source& from, char by)
        : file(from), text(detail::without_mark(file.bytes())), separator(by), records(text, file.name(), by) {}
    source file;
    std::string_view text;
    char separator;
    detail::record_reader records;  // fields with doubled quotes live in it
};

const std::string& text_table::file() const { return held_->file.name(); }

text_table text_table::parse(const source& file, const csv_options& options, std::span<const std::string> known) {
    const std::string_view text = detail::without_mark(file.bytes());
    const char separator = options.separator ? options.separator : detail::guess_separator(text);
    const auto all = std::make_shared<held>(file, separator);
    text_table out;
    out.held_ = all;
    std::vector<detail::csv_text_field> row;
    std::size_t columns = 0;
    for (index r = 0; all->records.next(row); ++r) {
        if (r == 0) columns = row.size();
        if (row.size() != columns)
            detail::fail_at(errc::parse, file.name(), text, row.front().offset,
                            fmt::format("row {}: expected {} fields, got {}", r, columns, row.size()));
        for (const auto& one : row) out.fields_.push_back(one.text);
        ++out.rows_;
    }
    for (std::size_t c = 0; c < columns; ++c) out.names_.push_back(std::to_string(c));
    const auto is_known = [&](std::size_t c) {
        return std::ranges::find(known, detail::as_utf8(out.fields_[c])) != known.end();
    };
    out.named_ = out.rows_ > 0 && detail::has_header(text, file.name(), separator, options);
    if (!out.named_ && options.header == csv_header::automatic) {
        for (std::size_t c = 0; c < columns && !out.named_; ++c) out.named_ = is_known(c);
        out.named_ = out.named_ || (known.empty() && out.looks_like_header());
    }
    if (out.named_) {
        for (std::size_t c = 0; c < columns; ++c)
            if (!out.fields_[c].empty()) out.names_[c] = detail::as_utf8(out.fields_[c]);
        out.fields_.erase(out.fields_.begin(), out.fields_.begin() + static_cast<std::ptrdiff_t>(columns));
        --out.rows_;
    }
    if (out.rows_ == 0) fail(errc::data, fmt::format("{}: expected at least one row of data, got none", file.name()));
    return out;
}

// Columns of text have their names above them where these are different, and none of them comes again below.
bool text_table::looks_like_header() const {
    if (rows_ < 3) return false;
    std::unordered_set<std::string_view> above;
    bool repeats = false;
    for (std::size_t c = 0; c < columns(); ++c) {
        const std::string_view name = at(0, c);
        if (detail::is_number(name) || detail::is_missing(name) || !above.insert(name).second) return false;
        std::unordered_set<std::string_view> below;
        for (index r = 1; r < rows_; ++r) {
            if (at(r, c) == name) return false;
            repeats = !below.insert(at(r, c)).second || repeats;
        }
    }
    return repeats;
}

std::size_t text_table::position(const std::string& column, const char* what) const {
    return *detail::column_position(column, what, named_ ? names_ : std::vector<std::string>{}, columns(), file());
}

text_table text_table::only(std::span<const index> rows) const {
    text_table out;
    out.held_ = held_;
    out.names_ = names_;
    out.named_ = named_;
    out.rows_ = static_cast<index>(rows.size());
    for (const index r : rows) {
        const auto first = fields_.begin() + static_cast<std::ptrdiff_t>(r) * static_cast<std::ptrdiff_t>(columns());
        out.fields_.insert(out.fields_.end(), first, first + static_cast<std::ptrdiff_t>(columns()));
        out.from_.push_back(from_.empty() ? r : from_[static_cast<std::size_t>(r)]);
    }
    return out;
}

void text_table::fail_at(index row, std::size_t column, const std::string& message) const {
    const index wanted = from_.empty() ? row : from_[static_cast<std::size_t>(row)];
    detail::record_reader again(held_->text, held_->file.name(), held_->separator);
    std::vector<detail::csv_text_field> fields;
    for (index r = named_ ? -1 : 0; r <= wanted; ++r) again.next(fields);
    const std::string which = named_ ? detail::quoted(names_[column]) : std::to_string(column + 1);
    detail::fail_at(errc::data, file(), held_->text, fields[column].offset,
                    fmt::format("row {}, column {}: {}", wanted + 1, which, message));
}

}  // namespace mercer
