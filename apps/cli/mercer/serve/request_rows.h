// The rows of a request as data of a model.
#pragma once

#include "../learning.h"

namespace mercer::cli {

struct request_text {
    std::string_view body;
    std::string type;    // Content-Type: application/json, or any text
    std::string format;  // of a text; empty: found out, and CSV where the model is of a table
};

// The columns that a row has to have, in their order; empty where they have no names.
std::vector<std::string> columns_wanted(const api::model& m);

// JSON: a list of rows, or {"rows": [...]}. A row is a list in the order of the columns, an object by their names (by
// their positions from 1 where there are none: absent is 0), or a text where the objects are texts. Anything else is
// read as a file would be. Fails with a message that names row, column and value; `tell` is told what is odd.
table request_rows(const api::model& m, const request_text& from, const std::function<void(const std::string&)>& tell);

}  // namespace mercer::cli
