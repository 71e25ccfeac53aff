// Reads the rows of a JSON document: a list of rows, or {"rows": [...]}.
//
// Reading takes time and memory proportional to the number of bytes and checks for cancellation (base/context.h). A
// document nested deeper than `max_json_depth` is refused before it is parsed. Errors have the code errc::parse or
// errc::data and name the row, the column and the value.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer::cli {

constexpr std::size_t max_json_depth = 64;  // largest nesting depth of lists and objects

// The form of the rows that a model expects.
struct row_shape {
    // column names, in the order of a row that is a list; empty if the columns have no names
    std::vector<std::string> names;
    std::size_t width = 0;  // number of values of a row that is a list
    std::string target;     // the target column, which an object may contain and which is ignored
};

class json_rows {
public:
    explicit json_rows(std::string text);

    bool has_object_rows() const;
    // Returns the rows as numbers. A row is a list, or an object with the column names of `shape`.
    dense<double> numbers(const row_shape& shape) const;
    // Returns the rows as CSV with values of any type, with a header if the columns have names. `extra` receives the
    // names of columns that the shape does not have, at most `max_extra` of them.
    static constexpr std::size_t max_extra = 16;
    std::string csv(const row_shape& shape, std::set<std::string>& extra) const;
    // Returns the rows in LIBSVM's format. A row is an object whose keys are column numbers from 1.
    std::string libsvm() const;
    // Returns texts. A row is a text or, if `column` is not empty, an object with a text in the member `column`.
    std::vector<std::string> texts(const std::string& column) const;
    // Returns the rows unchanged, one per line.
    std::string lines() const;

private:
    std::string padded_;  // the text, followed by the padding bytes that simdjson may read
    std::size_t size_;    // bytes of the text
};

}  // namespace mercer::cli
