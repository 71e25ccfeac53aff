// What `mercer explain` and `mercer regions` share: data with classes, and two of its features.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program.h"

namespace mercer::cli {

// Fails, with advice, unless the data have labels and those look like classes.
void require_classes(const objects& from, const std::string& path);
// "petal_length,petal_width" or "2,3" (counted from 0); nothing for an empty text.
std::optional<std::pair<index, index>> feature_pair(const std::string& text, const table& data);
// "gamma=0.1,1,10": the name and the numbers. Wrong usage, naming `option`, for anything else.
std::pair<std::string, std::vector<double>> named_numbers(const std::string& text, const std::string& option);

}  // namespace mercer::cli
