// Counts the occurrences of a text in a page.
#pragma once

#include <string>

#include "mercer/base/matrix_view.h"

namespace mercer::testing_support {

inline index occurrences(const std::string& text, const std::string& part) {
    index found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace mercer::testing_support
