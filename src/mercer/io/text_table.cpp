#include "mercer/io/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/io/csv_text.h"

namespace mercer {

// The fields, in pieces that threads share out.
struct text_table::held {
    held(const source& from, char by) : file(from), text(detail::without_mark(file.bytes())), separator(by) {}
    void read();

    source file;
    std::string_view text;
    char separator;
    std::size_t columns = 0;
    index rows = 0;
    buffer<field> fields;
    std::vector<std::string_view> listed;
    std::deque<piece_reader> readers;  // fields with doubled quotes live in them
};

struct text_table::piece_reader {
    piece_reader(const held& table, const detail::csv_piece& piece, field* to)
        : records(table.text, table.file.name(), table.separator, piece.begin, piece.end), to(to) {}

    // `before`: records of the file before this piece, for messages.
    void run(const held& table, index before) {
        std::vector<detail::csv_text_field> row;
        for (; records.next(row); ++rows) {
            if (row.size() != table.columns)
                detail::fail_at(
                    errc::parse, table.file.name(), table.text, row.front().offset,
                    fmt::format("row {}: expected {} fields, got {}", before + rows, table.columns, row.size()));
            for (const auto& one : row) *to++ = placed(table.text, one.text);
        }
    }
    field placed(std::string_view text, std::string_view one) {
        if (one.empty()) return {0, 0};
        if (one.data() >= text.data() && one.data() < text.data() + text.size() && one.size() < field::listed)
            return {static_cast<std::uint64_t>(one.data() - text.data()), one.size()};
        listed.push_back(one);
        return {listed.size() - 1, field::listed};
    }

    detail::record_reader records;
    field* to;
    index rows = 0;
    std::vector<std::string_view> listed;
};

void text_table::held::read() {
    std::vector<detail::csv_text_field> row;
    if (!detail::record_reader(text, file.name(), separator).next(row)) return;
    columns = row.size();
    const std::vector<detail::csv_piece> pieces = detail::csv_pieces(file, text, 0);
    std::vector<index> first{0};  // the row each piece begins to write at; every field has its separator or line end
    for (const auto& piece : pieces)
        first.push_back(first.back() +
                        std::min(piece.lines, static_cast<index>((piece.end - piece.begin) / columns + 1)));
    fields.uninitialised(first.back() * static_cast<index>(columns));
    const auto place = [&](index r) { return fields.data() + r * static_cast<index>(columns); };
    for (std::size_t p = 0; p < pieces.size(); ++p) readers.emplace_back(*this, pieces[p], place(first[p]));
    detail::run_pieces(
        pieces.size(), [&](std::size_t p) { readers[p].run(*this, 0); },
        [&](std::size_t bad) {
            index before = 0;
            for (std::size_t p = 0; p < bad; ++p) before += readers[p].rows;
            piece_reader(*this, pieces[bad], place(first[bad])).run(*this, before);
        });
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        const index count = readers[p].rows * static_cast<index>(columns);
        if (!readers[p].listed.empty())
            for (field* f = place(first[p]); f != place(first[p]) + count; ++f)
                if (f->length == field::listed) f->begin += listed.size();
        listed.insert(listed.end(), readers[p].listed.begin(), readers[p].listed.end());
        if (rows != first[p])
            std::memmove(place(rows), place(first[p]), static_cast<std::size_t>(count) * sizeof(field));
        rows += readers[p].rows;
    }
}

const std::string& text_table::file() const { return held_->file.name(); }

text_table text_table::parse(const source& file, const csv_options& options, std::span<const std::string> known) {
    const std::string_view text = detail::without_mark(file.bytes());
    const char separator = options.separator ? options.separator : detail::guess_separator(text);
    const auto all = std::make_shared<held>(file, separator);
    all->read();
    text_table out;
    out.held_ = all;
    out.text_ = all->text;
    out.listed_ = all->listed;
    out.fields_ = {all->fields.data(), static_cast<std::size_t>(all->rows) * all->columns};
    out.rows_ = all->rows;
    const std::size_t columns = all->columns;
    for (std::size_t c = 0; c < columns; ++c) out.names_.push_back(std::to_string(c));
    std::vector<std::string> above;
    for (std::size_t c = 0; c < columns && out.rows_ > 0; ++c) above.push_back(detail::as_utf8(out.at(0, c)));
    bool named = out.rows_ > 0 && detail::has_header(text, file.name(), separator, options);
    if (!named && options.header == csv_header::automatic) {
        for (const auto& each : above) named = named || std::ranges::find(known, each) != known.end();
        named = named || (known.empty() && out.looks_like_header());
    }
    if (named) {
        for (std::size_t c = 0; c < columns; ++c)
            if (!above[c].empty()) out.names_[c] = above[c];
        detail::require_distinct_names(out.names_, file.name());
        --out.rows_;
    }
    out.named_ = named;
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
    text_table out = *this;
    out.rows_ = static_cast<index>(rows.size());
    out.from_.clear();
    for (const index r : rows) out.from_.push_back(from_.empty() ? r : from_[static_cast<std::size_t>(r)]);
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
