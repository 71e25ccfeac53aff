// How many numbers the loops work on at once.
// Included by formula_loops.cpp only, once per instruction set.
#pragma once

#include <cstdint>

#include "mercer/kernels/tile/simd_vector.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

using size = std::int64_t;

template <class T>
constexpr size lane_count = static_cast<size>(hn::MaxLanes(tag<T>()));
// Registers: two vectors of the panel, one of the block, and 2·rows sums. AVX-512 has 32 registers, the others 16.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr size rows_in_block = 12;
#else
constexpr size rows_in_block = 6;
#endif

template <class T>
constexpr size panel_width = 2 * lane_count<T>;
template <class T>
constexpr size sparse_panel_width = 4 * lane_count<T>;

}  // namespace
}  // namespace mercer::MERCER_SIMD_TARGET
