// How much memory the machine has, for budgets that nobody gave.
#pragma once

#include <cstddef>

namespace mercer {

std::size_t physical_memory();  // bytes

}  // namespace mercer
