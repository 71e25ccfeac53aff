// Functions known by name, so that text forms which mention them can be read back.
#pragma once

#include <optional>
#include <string>

#include "mercer/kernels/kernel.h"

namespace mercer {

std::optional<object_function> weight_named(const std::string& name);
std::optional<feature> map_named(const std::string& name);
std::optional<kernel> kernel_named(const std::string& name);

}  // namespace mercer
