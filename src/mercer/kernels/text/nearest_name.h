// The name that somebody meant who wrote another one.
#pragma once

#include <string>
#include <vector>

namespace mercer {

// Of these the closest to the word, by letters to insert, drop or replace and neighbours to exchange, when so close, or
// so well begun, that it is likely what was meant; else empty.
std::string nearest_name(const std::string& word, const std::vector<std::string>& known);

}  // namespace mercer
