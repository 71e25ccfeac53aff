// The rows of a JSON document: a list, or {"rows": [...]}.
//
// Reading takes time and memory in proportion to the bytes, asks now and then whether to stop (base/context.h), and is
// refused beyond a fixed depth before anything is parsed. Faults are errc::parse or errc::data, with row, column and
// value.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer::cli {

constexpr std::size_t deepest_json = 64;  // lists and objects within one another

// How the rows of a model look.
struct row_shape {
    std::vector<std::string> names;  // of the columns, in the order of a row that is a list; empty: they have none
    std::size_t width = 0;           // values of such a row
    std::string target;              // a column that an object may have and that is not used
};

class json_rows {
public:
    explicit json_rows(std::string text);

    bool begin_with_object() const;
    // Numbers, from lists or from objects with the names of `shape`.
    dense<double> numbers(const row_shape& shape) const;
    // The same rows as CSV, with a header where there are names, for columns of any kind. `extra` gets the names of
    // columns that the shape does not have, at most `most_extra` of them.
    static constexpr std::size_t most_extra = 16;
    std::string csv(const row_shape& shape, std::set<std::string>& extra) const;
    // Objects whose keys are positions from 1, as lines of LIBSVM's format.
    std::string libsvm() const;
    // Texts, or the member `column` of objects where that has a name.
    std::vector<std::string> texts(const std::string& column) const;
    // One row a line, as they are.
    std::string lines() const;

private:
    std::string padded_;  // the text, and the bytes behind it that simdjson may read
    std::size_t size_;    // of the text
};

}  // namespace mercer::cli
