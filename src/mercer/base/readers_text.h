// What the text readers share: places in a text, quoting for messages, lines, class labels.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/data/dataset.h"

namespace mercer {

// The numbers a reader produces. natural: what the file holds (text is f64).
enum class precision { natural, f32, f64 };

namespace detail {

// "file:line:column" of a byte; lines and columns (bytes) count from 1.
std::string place(const std::string& name, std::string_view text, std::size_t offset);

// 'token', with what is not printable escaped, cut after 40 bytes.
std::string quoted(std::string_view token);

[[noreturn]] void fail_at(errc code, const std::string& name, std::string_view text, std::size_t offset,
                          const std::string& message);

// How many times each of two characters occurs.
struct two_counts {
    index first = 0, second = 0;
};
two_counts count_two(std::string_view text, char first, char second);

// Text without the byte order mark some editors put in front.
std::string_view without_mark(std::string_view text);

// Text without blanks, tabs and carriage returns at its ends.
std::string_view trimmed(std::string_view text);

// The parts between separators, trimmed.
std::vector<std::string_view> split(std::string_view line, std::string_view separators);

// Is it written as a number, whatever its size?
bool is_number(std::string_view token);

// Takes the next line off the front of `rest`, without its line end (\n or \r\n). False at the end.
bool next_line(std::string_view& rest, std::string_view& line);

// What file_format::cut_to_rows is for formats with an example in every line. is_row: of a line without its end.
bool cut_to_lines(std::string& text, index rows, bool (*is_row)(std::string_view line));
bool is_filled(std::string_view line);  // it has more than blanks
bool is_any_line(std::string_view);     // every line is an example

// A name as UTF-8: bytes that are not are taken as Latin-1, so that the same name is the same in every file.
std::string as_utf8(std::string_view name);

// Is it an empty field, NA, N/A, nan, null or "?"
bool is_missing(std::string_view field);

// Labels of one file. All numbers: y holds them. Otherwise y holds positions in class_names: the sorted names, or the
// given ones.
class label_column {
public:
    // `label` must live until finish(); `offset` is its place in the text.
    void add(std::string_view label, std::size_t offset);
    // Labels that are names get memory of their own: the text need not be looked at again.
    void own_names();
    // The labels that follow, from another part of the file.
    void append(label_column&& next);
    // A label that is not among `known` (when there are any) fails at its place.
    void finish(const std::string& name, std::string_view text, const std::vector<std::string>& known, table& out);

private:
    struct entry {
        std::string_view text;
        std::size_t offset;
    };
    std::vector<entry> entries_;
    std::deque<std::string> converted_;          // labels that were not UTF-8; never moves what it holds
    std::vector<std::deque<std::string>> kept_;  // those of other parts
    std::vector<double> numbers_;                // of the first entries, while all are numbers
};

}  // namespace detail
}  // namespace mercer
