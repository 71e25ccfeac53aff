// Tables of numbers in text: RFC 4180 with ',', ';' or tab between the fields.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/text.h"
#include "mercer/data/dataset.h"
#include "mercer/io/all_formats.h"
#include "mercer/io/file_contents.h"

namespace mercer {

// automatic: there is one if a column has text in the first row and numbers in the rows after it.
enum class csv_header { automatic, present, absent };

class csv_encoder;

struct csv_options {
    char separator = 0;  // ',', ';' or '\t'; 0: the one that gives the first rows the same number of fields
    csv_header header = csv_header::automatic;
    // The column of targets: a name from the header, or a position from 0 (negative: from the end). Empty: none.
    std::string label{};
    // Class names in the order of a training set; then every label has to be one of them. Empty: the names in the file,
    // sorted.
    std::vector<std::string> classes{};
    precision numbers = precision::natural;
    // A column of texts, named as the label is: the objects are its fields, as strings, and no other column is read.
    std::string text{};
    // How columns of any kind become numbers, found out on a training set (data/columns/): then columns are looked for
    // by name, and `label` may be missing where it is the target of that set.
    std::shared_ptr<const csv_encoder> columns{};
    std::function<void(const std::string&)> tell{};  // what such columns hold that the training set had not
};

// Dense vectors from all columns but the label. Missing values (empty, NA, nan, null, ?) and text in a feature column
// fail, where `columns` does not say what becomes of them, with `file:line:column: row r, column c: …`, rows and
// columns counted from 1; blank lines are skipped.
table read_csv(const std::string& path, const csv_options& options = {});
table parse_csv(const source& file, const csv_options& options = {});
table parse_csv(std::string_view text, const std::string& name, const csv_options& options = {});

// A table of a file whose columns are of any kind: what csv_options::columns does with it (preprocess/column_encoder.h).
class csv_encoder {
public:
    virtual ~csv_encoder() = default;
    virtual table parse(const source& file, const csv_options& options) const = 0;
};

// A text as a field of such a file: in quotes where separators, quotes, line ends or blanks at its ends would make
// something else of it.
std::string csv_field(std::string_view text);

const file_format& csv_format();

// A table of comma-separated text as it stands: every field a text, before anyone says what its column means.

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

namespace detail {

// What readers of comma-separated text share: its records, in pieces for threads, its separator, its header and the
// column of targets.

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

}  // namespace detail
}  // namespace mercer
