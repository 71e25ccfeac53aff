// Bits that depend on a seed and a number alone (splitmix64): chance that falls the same for a row in whatever batch,
// thread or process it comes.
#pragma once

#include <cstdint>

namespace mercer {

inline std::uint64_t row_bits(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t z = seed * 0xd1342543de82ef95u + (number + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

}  // namespace mercer
