// What readers of comma-separated text share: its records, in pieces for threads, its separator, its header and the
// column of targets.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/io/csv.h"

namespace mercer::detail {

struct csv_text_field {
    std::string_view text;  // unquoted, and trimmed when it had no quotes
    std::size_t offset;     // of its first byte, the quote if there is one
};

// Takes records off a text. What it gives lives as long as it does.
class record_reader {
public:
    record_reader(std::string_view text, const std::string& name, char separator)
        : text_(text), name_(name), separator_(separator) {}
    // Of the records that stand in a part of a text.
    record_reader(std::string_view text, const std::string& name, char separator, std::size_t begin, std::size_t end)
        : text_(text.substr(0, end)), name_(name), separator_(separator), at_(begin) {}

    // The next record that is not a blank line. False at the end.
    bool next(std::vector<csv_text_field>& out);
    std::size_t offset() const { return at_; }
    void seek(std::size_t offset) { at_ = offset; }

private:
    void skip_blank_lines();
    bool take_separator();
    csv_text_field next_field();
    csv_text_field quoted_field();
    csv_text_field after_quote(csv_text_field result);

    std::string_view text_;
    const std::string& name_;
    char separator_;
    std::size_t at_ = 0;
    std::deque<std::string> joined_;  // never moves what it holds
};

// A part of a text that holds whole records.
struct csv_piece {
    std::size_t begin, end;
    index lines;  // at least as many as there are records
};
// All of the text from `begin` on, where a record begins. A line end inside quotes ends no record: whether one is
// inside follows from the number of quotes before it, up to the first fault of the text.
std::vector<csv_piece> csv_pieces(const source& file, std::string_view text, std::size_t begin);

// Calls read(p) for every piece, side by side. The first fault of the file is reported, whoever finds one first: its
// piece is read again by again(p), which knows how many rows stand before it.
void run_pieces(std::size_t count, const std::function<void(std::size_t)>& read,
                const std::function<void(std::size_t)>& again);

// The separator that occurs, outside quotes, equally often in each of the first rows. Of several the less common one:
// commas also stand inside numbers and texts.
char guess_separator(std::string_view text);
// Cuts the beginning of a file to its header and so many records; false where it does not hold them.
bool cut_to_records(std::string& text, index rows, const csv_options& options);

// A column given by name says that there is a header to find it in.
bool has_header(std::string_view text, const std::string& name, char separator, const csv_options& options);
// Fails where two columns have the same name: nobody could tell which of them is meant. Columns without a name are not
// compared.
void require_distinct_names(const std::vector<std::string>& header, const std::string& name);
// The column of this name or position, none for an empty one; `what` it is the column of.
std::optional<std::size_t> column_position(const std::string& column, const char* what,
                                           const std::vector<std::string>& header, std::size_t columns,
                                           const std::string& name);
// The column the option names; none for an empty option.
std::optional<std::size_t> label_position(const csv_options& options, const std::vector<std::string>& header,
                                          std::size_t columns, const std::string& name);

}  // namespace mercer::detail
