// Writes a fitted model as a C++17 header that needs only the standard library: the numbers of the model as constants,
// its kernel as code, and the functions predict(), decide() and, for some models, probabilities() and class_name().
#pragma once

#include <string>

#include "mercer/export/model_computation.h"

namespace mercer::api {

// Returns the header. `space` is its namespace, an identifier. Throws errc::unsupported if the model has more than
// 20,000,000 numbers.
std::string write_cpp_header(const model_computation& c, const std::string& space);
// Makes a name an identifier of C++: "my model-2" becomes my_model_2, "class" becomes class_.
std::string make_cpp_identifier(std::string name);

}  // namespace mercer::api
