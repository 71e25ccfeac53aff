// The rows of a request as data of a model.
#pragma once

#include "fit.h"

namespace mercer::cli {

struct request_text {
    std::string body;
    std::string type;    // Content-Type: application/json, or any text
    std::string format;  // of a text; empty: detected, and CSV where the model is one of a table
    index most_pixels;   // of an image
    // Called with the memory in bytes that the rows are about to take, before they do; may throw.
    std::function<void(std::size_t)> reserve;
};

// The columns that a row has to have, in their order; empty where they have no names.
std::vector<std::string> columns_wanted(const api::model& m);

// JSON: a list of rows, or {"rows": [...]}. A row is a list in the order of the columns, an object by their names (by
// their positions from 1 where there are none: absent is 0), or a text where the objects are texts. Anything else is
// read as a file would be, except that no other file is opened. Fails with a message that names row, column and value;
// `tell` gets the warnings.
table request_rows(const api::model& m, request_text from, const std::function<void(const std::string&)>& tell);

}  // namespace mercer::cli
