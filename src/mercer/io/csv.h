// Reads comma-separated text (RFC 4180) with ',', ';' or tab as separator: as vectors, as strings, or as a table of
// fields.
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

// automatic: the first row is a header if some column has text in the first row and numbers in the rows after it.
enum class csv_header { automatic, present, absent };

class csv_encoder;

// Options of the readers of comma-separated text.
struct csv_options {
    // ',', ';' or '\t'. 0: the separator that divides the first rows into the same number of fields.
    char separator = 0;
    csv_header header = csv_header::automatic;
    // The column of targets: a name from the header, or a position from 0 (negative: from the end). Empty: none.
    std::string label{};
    // The class names of the training set, in its order: y[i] is a position in this list, and a label that is not in
    // the list throws errc::data. Empty: the class names are the different labels of the file, sorted.
    std::vector<std::string> classes{};
    precision numbers = precision::natural;
    // A column of texts, given like `label`: the objects are its fields, as strings; of the other columns only the
    // target column is read.
    std::string text{};
    // Encodes columns of any kind as it was fitted on a training set (preprocess/column_encoder.h). Then columns are
    // found by name, and the column `label` may be absent if it is the target of the training set.
    std::shared_ptr<const csv_encoder> encoder{};
    std::function<void(const std::string&)> on_note{};  // receives the notes of `encoder` on unseen values
};

// Returns dense vectors of all columns except the target column, in their order, and the targets. Unless `encoder`
// encodes them, missing values (empty, NA, nan, null, ?) and text in a feature column are errors: `file:line:column:
// row r, column c: …`, rows and columns counted from 1. Blank lines are skipped.
table read_csv(const std::string& path, const csv_options& options = {});
table parse_csv(const file_contents& file, const csv_options& options = {});
table parse_csv(std::string_view text, const std::string& name, const csv_options& options = {});

// Makes the vectors and targets of a CSV file whose columns are of any kind (numbers, categories, dates, texts).
class csv_encoder {
public:
    virtual ~csv_encoder() = default;
    virtual table parse(const file_contents& file, const csv_options& options) const = 0;
};

// Returns `text` as a field of a CSV file. The field is quoted if the text contains a separator, a quote or a line end,
// or begins or ends with a blank.
std::string format_csv_field(std::string_view text);

const file_format& csv_format();

// The fields of a CSV file as texts, before the types of the columns are known. Copies share the contents of the file.
class text_table {
public:
    // Reads options.separator, options.header, options.label and options.text. If the first row contains a name from
    // `known`, the first row is the header. Throws errc::parse if rows differ in their number of fields, and errc::data
    // if there is no row of data.
    static text_table parse(const file_contents& file, const csv_options& options = {},
                            std::span<const std::string> known = {});

    bool has_header() const { return has_header_; }  // the file has a header
    // The names of the columns as UTF-8. A column without a name has its position, from 0, as its name.
    const std::vector<std::string>& names() const { return names_; }
    const std::string& file() const;
    index rows() const { return rows_; }
    std::size_t columns() const { return names_.size(); }
    std::string_view at(index row, std::size_t column) const {
        const index record =
            (file_rows_.empty() ? row : file_rows_[static_cast<std::size_t>(row)]) + (has_header_ ? 1 : 0);
        return text_of(fields_[static_cast<std::size_t>(record) * names_.size() + column]);
    }
    // Returns the column of this name or position (negative: from the end). `what` is its role in an error message.
    std::size_t find_column(const std::string& column, const char* what) const;
    // Returns the table of these rows, in this order.
    text_table select_rows(std::span<const index> rows) const;
    // Throws errc::data with the message "file:line:column: row r, column 'c': message". `row` and `column` count from
    // 0.
    [[noreturn]] void fail_at(index row, std::size_t column, const std::string& message) const;

private:
    // A field takes eight bytes, because tables have many fields. A field of 2^24 - 1 bytes or more, or one with
    // doubled quotes, which differs from the bytes of the file, is stored in listed_, and `begin` is its index there.
    struct field {
        static constexpr std::uint64_t listed = (1 << 24) - 1;
        std::uint64_t begin : 40, length : 24;
    };
    struct storage;
    struct chunk_reader;
    std::string_view text_of(field one) const {
        return one.length == field::listed ? listed_[one.begin] : text_.substr(one.begin, one.length);
    }
    bool looks_like_header() const;

    std::shared_ptr<const storage> storage_;  // owns the bytes of the fields
    std::string_view text_;
    std::span<const std::string_view> listed_;
    std::span<const field> fields_;  // all rows of the file, the header first
    std::vector<std::string> names_;
    std::vector<index> file_rows_;  // for each row its number in the file; empty: all rows in order
    index rows_ = 0;
    bool has_header_ = false;
};

namespace detail {

// Parts that the readers of comma-separated text share: records, chunks for threads, separator, header, target column.

struct csv_text_field {
    std::string_view text;  // unquoted; trimmed if it had no quotes
    std::size_t offset;     // offset of its first byte in the text, which is the quote of a quoted field
};

// Reads a text record by record. The fields that it returns are valid as long as the text and the reader live.
class record_reader {
public:
    record_reader(std::string_view text, const std::string& name, char separator)
        : text_(text), name_(name), separator_(separator) {}
    // Reads the records in bytes [begin, end) of the text.
    record_reader(std::string_view text, const std::string& name, char separator, std::size_t begin, std::size_t end)
        : text_(text.substr(0, end)), name_(name), separator_(separator), at_(begin) {}

    // Reads the next record that is not a blank line. Returns false at the end.
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
    std::deque<std::string> joined_;  // fields with doubled quotes; a deque does not move its elements
};

// A chunk of a text that contains whole records.
struct csv_chunk {
    std::size_t begin, end;
    index lines;  // an upper bound on the number of records
};
// Divides the text from `begin` on, where a record begins, into chunks of about 1 MB. A line end inside quotes ends no
// record; up to the first fault of the text, a byte is inside quotes if the number of quotes before it is odd.
std::vector<csv_chunk> divide_csv(const file_contents& file, std::string_view text, std::size_t begin);

// Calls read(p) for every chunk p, in parallel. If chunks fail, the first chunk of the file that failed is read again
// by again(p), which knows the number of rows before the chunk and throws the error that is reported.
void parse_chunks_in_parallel(std::size_t count, const std::function<void(std::size_t)>& read,
                              const std::function<void(std::size_t)>& again);

// Returns the separator that occurs equally often, outside quotes, in each of the first 10 rows; if there is none, the
// most frequent one of the first row. Tab is preferred to ';', and ';' to ',', because commas also occur inside numbers
// and texts.
char detect_separator(std::string_view text);
// Cuts the beginning of a file after its header and `rows` records. Returns false if it has fewer records.
bool cut_to_records(std::string& text, index rows, const csv_options& options);

// Returns true if the first row is a header. If options.label or options.text is a name that the first row contains,
// the first row is a header.
bool has_header(std::string_view text, const std::string& name, char separator, const csv_options& options);
// Throws errc::data if two columns have the same name. Columns without a name are not compared.
void require_distinct_names(const std::vector<std::string>& header, const std::string& name);
// Returns the column of this name or position; none if `column` is empty. `what` is its role in an error message.
std::optional<std::size_t> find_column(const std::string& column, const char* what,
                                       const std::vector<std::string>& header, std::size_t columns,
                                       const std::string& name);
// Returns the column options.label; none if the option is empty.
std::optional<std::size_t> find_label_column(const csv_options& options, const std::vector<std::string>& header,
                                             std::size_t columns, const std::string& name);

}  // namespace detail
}  // namespace mercer
