// A fitted model as a C++17 header that needs nothing but the standard library: its numbers as constants, its kernel as
// code, predict() and what stands behind it.
#pragma once

#include <span>
#include <string>

#include "mercer/export/kernel_formula.h"
#include "mercer/export/model_computation.h"

namespace mercer::api {

// `space` is the namespace everything stands in: an identifier.
std::string cpp_header(const computation& c, const std::string& space);
// A name as an identifier of C++: "my model-2" becomes my_model_2, "class" class_.
std::string cpp_identifier(std::string name);

// The code of a kernel in a C++ header. Internal to cpp_header.

// A number that C++ reads as the same double, never as an int.
std::string cpp_number(double value);
// "{1.0, 2.0, 3.0}"
std::string cpp_list(std::span<const double> values);
// The functions it needs, and `inline double kernel(const double* x, const double* z)`.
std::string cpp_kernel(const formula& of);

}  // namespace mercer::api
