// Where the lines and records of a text end that grows at its end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mercer/base/matrix_view.h"

namespace mercer::detail {

// Takes the next line off the front of `rest`, as next_line() does; false where its end is not there.
bool next_whole_line(std::string_view& rest, std::string_view& line);

// The ends of records. Every byte is looked at once, however often the text grows.
class record_ends {
public:
    // Begins at byte `from`, outside quotes. With `quotes` a line end between '"' and '"' ends no record.
    explicit record_ends(bool quotes = false, std::size_t from = 0) : quotes_(quotes), at_(from) {}

    // The byte behind the last line end that ends a record; 0 where there is none. `text` is the one of the call
    // before, with more bytes behind it.
    std::size_t last(std::string_view text);
    // The place of the '"' that is still open at the end of that text.
    std::optional<std::size_t> open_quote() const { return inside_ ? std::optional(quote_) : std::nullopt; }

private:
    bool quotes_, inside_ = false;
    std::size_t at_, end_ = 0, quote_ = 0;
};

// What file_format::cut_to_rows is for formats with an example in every line. is_row: of a line without its end.
bool cut_to_lines(std::string& text, index rows, bool (*is_row)(std::string_view line));
bool is_filled(std::string_view line);  // it has more than blanks
bool is_any_line(std::string_view);     // every line is an example

}  // namespace mercer::detail
