// Brings the columns of a table into the order of the training table.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

// Brings the columns of `data` into the order of `names`. Throws errc::data if a column is missing or if there is an
// additional one. Does nothing if `names` or the names of `data` are empty, or if `data` are not vectors. `path` and
// `like` name the data and the model (or training data) in error messages.
void match_columns(table& data, const std::vector<std::string>& names, const std::string& path,
                   const std::string& like);

}  // namespace mercer
