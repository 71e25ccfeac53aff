#pragma once

#include <limits>

namespace mercer {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace mercer
