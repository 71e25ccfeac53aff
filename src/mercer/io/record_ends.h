// Finds the ends of lines and records in the beginning of a file, also while more bytes are appended to it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mercer/base/matrix_view.h"

namespace mercer::detail {

// Removes the next line from the front of `rest`, as next_line() does. Returns false if the line has no line end yet.
bool next_complete_line(std::string_view& rest, std::string_view& line);

// Finds the ends of records. Every byte is inspected once, even if the text grows between the calls.
class record_ends {
public:
    // Begins at byte `from`, outside quotes. If `quotes`, a line end between two '"' does not end a record.
    explicit record_ends(bool quotes = false, std::size_t from = 0) : quotes_(quotes), at_(from) {}

    // Returns the offset after the last line end that ends a record; 0 if there is none. `text` must be the text of
    // the previous call, possibly with more bytes appended.
    std::size_t last(std::string_view text);
    // Returns the offset of the '"' that is not closed at the end of the text; none if all quotes are closed.
    std::optional<std::size_t> open_quote() const { return inside_ ? std::optional(quote_) : std::nullopt; }

private:
    bool quotes_, inside_ = false;
    std::size_t at_, end_ = 0, quote_ = 0;
};

// Implements file_format::cut_to_rows for formats with one example per line: cuts `text` after `rows` lines for which
// is_row() returns true. is_row() gets a line without its line end.
bool cut_to_lines(std::string& text, index rows, bool (*is_row)(std::string_view line));
bool is_not_blank(std::string_view line);  // returns true if the line is not blank
bool accept_any_line(std::string_view);    // returns true: blank lines are examples too

}  // namespace mercer::detail
