// How much memory the machine has, for budgets that nobody gave.
#pragma once

#include <cstddef>

namespace mercer {

std::size_t physical_memory();  // bytes
std::size_t free_memory();      // of them, what programs could have now
// What may be taken without asking: a quarter of what this process can ever have, its container's or its own limit
// regarded, and no more than half of what is free now.
std::size_t spare_memory();

// n·2³⁰ bytes, or as many as there can be where addresses have 32 bits.
constexpr std::size_t gibibytes(std::size_t n) {
    constexpr auto most = static_cast<std::size_t>(-1);
    return n <= most >> 30 ? n << 30 : most;
}

}  // namespace mercer
