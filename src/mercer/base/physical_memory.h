// How much memory the machine has, for budgets that nobody gave.
#pragma once

#include <cstddef>

namespace mercer {

std::size_t physical_memory();  // bytes

// n·2³⁰ bytes, or as many as there can be where addresses have 32 bits.
constexpr std::size_t gibibytes(std::size_t n) {
    constexpr auto most = static_cast<std::size_t>(-1);
    return n <= most >> 30 ? n << 30 : most;
}

}  // namespace mercer
