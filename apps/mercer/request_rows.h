// Converts the body of a request to data for a model.
#pragma once

#include "fit.h"

namespace mercer::cli {

struct request_text {
    std::string body;
    std::string type;    // Content-Type: application/json or a text type
    std::string format;  // format of a text body; empty: detected, or CSV if the model was fitted on a table
    index max_pixels;    // largest number of pixels of an image
    // Called with the bytes of memory that the rows are about to take, before they are allocated; may throw.
    std::function<void(std::size_t)> reserve;
};

// Returns the column names that a row has to have, in order; empty if the columns have no names.
std::vector<std::string> required_columns(const api::model& m);

// Reads a body. JSON is a list of rows or {"rows": [...]}. A row is a list in the order of the columns, an object with
// the column names (if there are no names, with column numbers from 1; a missing number means 0), or a text if the
// objects are texts. Any other body is read like a file, except that no other file is opened. Errors name the row, the
// column and the value; `tell` receives warnings.
table request_rows(const api::model& m, request_text from, const std::function<void(const std::string&)>& tell);

}  // namespace mercer::cli
