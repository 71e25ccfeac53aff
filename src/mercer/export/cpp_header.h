// A fitted model as a C++17 header that needs nothing but the standard library: its numbers as constants, its kernel as
// code, predict() and what stands behind it.
#pragma once

#include <string>

#include "mercer/export/model_computation.h"

namespace mercer::api {

// `space` is the namespace everything stands in: an identifier.
std::string cpp_header(const computation& c, const std::string& space);
// A name as an identifier of C++: "my model-2" becomes my_model_2, "class" class_.
std::string cpp_identifier(std::string name);

}  // namespace mercer::api
