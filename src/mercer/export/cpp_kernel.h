// The code of a kernel in a C++ header. Internal to cpp_header.
#pragma once

#include <span>
#include <string>

#include "mercer/export/kernel_formula.h"

namespace mercer::api {

// A number that C++ reads as the same double, never as an int.
std::string cpp_number(double value);
// "{1.0, 2.0, 3.0}"
std::string cpp_list(std::span<const double> values);
// The functions it needs, and `inline double kernel(const double* x, const double* z)`.
std::string cpp_kernel(const formula& of);

}  // namespace mercer::api
