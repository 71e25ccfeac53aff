// A fault in one row of the data, or in one of its values. Rows and columns count from 0, as in the library; whoever
// knows how the sender counts, and what the columns are called, says it in those terms.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "mercer/base/error.h"

namespace mercer {

class row_error : public error {
public:
    row_error(std::ptrdiff_t row, std::ptrdiff_t column, const std::string& reason)
        : error(errc::data, column < 0 ? fmt::format("row {}: {}", row, reason)
                                       : fmt::format("row {}, column {}: {}", row, column, reason)),
          row_(row),
          column_(column),
          reason_(reason) {}

    // The same fault with the name of its column.
    row_error named(const std::string& column) const {
        row_error out = *this;
        out.name_ = column;
        return out;
    }
    std::ptrdiff_t row() const { return row_; }
    std::ptrdiff_t column() const { return column_; }  // -1: the whole row
    // "row 1, column 'height': …": counted from 1, and with the name where it is known.
    std::string counted_from_one() const {
        if (column_ < 0) return fmt::format("row {}: {}", row_ + 1, reason_);
        return fmt::format("row {}, column {}: {}", row_ + 1,
                           name_.empty() ? std::to_string(column_ + 1) : "'" + name_ + "'", reason_);
    }

private:
    std::ptrdiff_t row_, column_;
    std::string reason_, name_;
};

}  // namespace mercer
