// What each field of records is compared as.
#pragma once

#include <map>
#include <string>

#include "mercer/kernels/kernel.h"

namespace mercer {

// {"title": "strings", "price": "vectors"} for field(title, words()) + field(price, rbf()), by the parts of a kernel.
std::map<std::string, std::string> kinds_of_fields(const kernel& k);

}  // namespace mercer
