// Checks and options shared by `mercer explain` and `mercer regions`: data with classes, and two of their features.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program.h"

namespace mercer::cli {

// Throws, and says what to do, if the data have no labels or more than 100 different labels.
void require_classes(const loaded_data& from, const std::string& path);
// Parses "petal_length,petal_width" or "2,3" (positions counted from 0). Returns nothing for an empty text.
std::optional<std::pair<index, index>> feature_pair(const std::string& text, const table& data);
// Parses "gamma=0.1,1,10" into the name and the numbers. Throws usage_error with the name of `option` for any other
// form.
std::pair<std::string, std::vector<double>> named_numbers(const std::string& text, const std::string& option);

}  // namespace mercer::cli
