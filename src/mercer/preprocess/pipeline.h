// The columns of one table in the order of another.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

// Puts the columns of a table into the order of these names, those of `like`; fails where one is missing or one too
// many is there. Without names on either side nothing is done.
void match_columns(table& data, const std::vector<std::string>& names, const std::string& path,
                   const std::string& like);

}  // namespace mercer
