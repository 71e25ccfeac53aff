// The columns of one table in the order of another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/preprocess/scaling.h"

namespace mercer {

// Puts the columns of a table into the order of these names, those of `like`; fails where one is missing or one too
// many is there. Without names on either side nothing is done.
void match_columns(table& data, const std::vector<std::string>& names, const std::string& path,
                   const std::string& like);

}  // namespace mercer

namespace mercer::api {

// Fits the scaling `how` ("standard" or "minmax") to vectors; returns nothing for "". Sparse vectors are converted to
// dense ones first if they have at most 2^27 entries. Throws for objects that are not vectors.
std::optional<scaling> fit_scaling(const dataset& x, const std::string& how);
dataset scaled(const scaling& by, const dataset& x);

}  // namespace mercer::api
