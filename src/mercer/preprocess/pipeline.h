// Preprocessing steps of a model: the order of columns, and scaling.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/preprocess/scaling.h"

namespace mercer {

// Brings the columns of `data` into the order of `names`. Throws errc::data if a column is missing or if there is an
// additional one. Does nothing if `names` or the names of `data` are empty, or if `data` are not vectors. `path` and
// `like` name the data and the model (or training data) in error messages.
void match_columns(table& data, const std::vector<std::string>& names, const std::string& path,
                   const std::string& like);

}  // namespace mercer

namespace mercer::api {

// Fits the scaling `how` ("standard" or "minmax") to vectors; returns nothing for "". Sparse vectors are converted to
// dense ones first if they have at most 2^27 entries. Throws errc::unsupported for objects that are not vectors, and
// errc::invalid_argument for another word.
std::optional<scaling> fit_scaling(const dataset& x, const std::string& how);
dataset apply_scaling(const scaling& by, const dataset& x);

}  // namespace mercer::api
