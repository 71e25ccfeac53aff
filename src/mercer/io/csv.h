// Tables of numbers in text: RFC 4180 with ',', ';' or tab between the fields.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/readers_text.h"
#include "mercer/data/dataset.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/format.h"

namespace mercer {

class column_encoder;

// automatic: there is one if a column has text in the first row and numbers in the rows after it.
enum class csv_header { automatic, present, absent };

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
    std::shared_ptr<const column_encoder> columns{};
    std::function<void(const std::string&)> tell{};  // what such columns hold that the training set had not
};

// Dense vectors from all columns but the label. Missing values (empty, NA, nan, null, ?) and text in a feature column
// fail, where `columns` does not say what becomes of them, with `file:line:column: row r, column c: …`, rows and
// columns counted from 1; blank lines are skipped.
table read_csv(const std::string& path, const csv_options& options = {});
table parse_csv(const source& file, const csv_options& options = {});
table parse_csv(std::string_view text, const std::string& name, const csv_options& options = {});

// A text as a field of such a file: in quotes where separators, quotes, line ends or blanks at its ends would make
// something else of it.
std::string csv_field(std::string_view text);

const file_format& csv_format();

}  // namespace mercer
