// A table of comma-separated text as it stands: every field a text, before anyone says what its column means.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/io/csv.h"

namespace mercer {

class text_table {
public:
    // `known`: names of columns; where the first row holds one of them it is a header. Of options separator, header and
    // label are looked at. Fails where rows have different numbers of fields, and where there is none.
    static text_table parse(const source& file, const csv_options& options = {},
                            std::span<const std::string> known = {});

    bool named() const { return named_; }
    // Of the columns, as UTF-8; their positions from 0 where there is no header.
    const std::vector<std::string>& names() const { return names_; }
    const std::string& file() const;
    index rows() const { return rows_; }
    std::size_t columns() const { return names_.size(); }
    std::string_view at(index row, std::size_t column) const {
        const index record = (from_.empty() ? row : from_[static_cast<std::size_t>(row)]) + (named_ ? 1 : 0);
        return text_of(fields_[static_cast<std::size_t>(record) * names_.size() + column]);
    }
    // The column of this name or position (negative: from the end); `what` it is the column of.
    std::size_t position(const std::string& column, const char* what) const;
    text_table only(std::span<const index> rows) const;
    // file:line:column: row r, column 'c': message
    [[noreturn]] void fail_at(index row, std::size_t column, const std::string& message) const;

private:
    // A field in eight bytes: tables have many. One that is too long, or does not stand in the file as it is read,
    // stands in a list, and `begin` is its place there.
    struct field {
        static constexpr std::uint64_t listed = (1 << 24) - 1;
        std::uint64_t begin : 40, length : 24;
    };
    struct held;
    struct piece_reader;
    std::string_view text_of(field one) const {
        return one.length == field::listed ? listed_[one.begin] : text_.substr(one.begin, one.length);
    }
    bool looks_like_header() const;

    std::shared_ptr<const held> held_;  // what the fields lie in
    std::string_view text_;
    std::span<const std::string_view> listed_;
    std::span<const field> fields_;  // of all rows of the file, the header first
    std::vector<std::string> names_;
    std::vector<index> from_;  // the row of the file each one is; empty: all of them in order
    index rows_ = 0;
    bool named_ = false;
};

}  // namespace mercer
