// A table of comma-separated text as it stands: every field a text, before anyone says what its column means.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/readers/csv.h"

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
        return fields_[static_cast<std::size_t>(row) * names_.size() + column];
    }
    // The column of this name or position (negative: from the end); `what` it is the column of.
    std::size_t position(const std::string& column, const char* what) const;
    text_table only(std::span<const index> rows) const;
    // file:line:column: row r, column 'c': message
    [[noreturn]] void fail_at(index row, std::size_t column, const std::string& message) const;

private:
    struct held;
    bool looks_like_header() const;

    std::shared_ptr<const held> held_;  // what the fields lie in
    std::vector<std::string> names_;
    std::vector<std::string_view> fields_;  // row by row
    std::vector<index> from_;               // the row of the file each one is; empty: all of them in order
    index rows_ = 0;
    bool named_ = false;
};

}  // namespace mercer
