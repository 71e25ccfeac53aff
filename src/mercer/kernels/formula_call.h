// Types that kernels and the SIMD loops share: statistics of pairs, scalar maps, and the arguments of operations on
// tiles. The header must not contain inline functions: kernels/evaluation/formula_loops.cpp is compiled once per
// instruction set, and the linker would use one of the variants of such a function for all processors.
#pragma once

#include <cstdint>

namespace mercer {

// Statistics of a pair of vectors x, z.
enum class pair_statistic {
    dot,        // Σ xₐzₐ
    manhattan,  // Σ |xₐ-zₐ|
    min_sum,    // Σ min(xₐ, zₐ)
    chi2,       // Σ (xₐ-zₐ)²/(xₐ+zₐ), 0/0 = 0
    product,    // ∏ (1 + xₐzₐ)
    user        // the value of a user's function
};

// The argument of a scalar map.
enum class map_input {
    value,             // f(t), t the statistic
    squared_distance,  // f(max(0, ‖x‖² + ‖z‖² - 2t)), t the dot product
    with_norms         // f(t, ‖x‖², ‖z‖²)
};

// A scalar map: the call operator of a kernel in the list of expression/all_kernels.h, with a copy of its struct.
struct formula_call {
    std::int32_t place = 0;  // position in the list; 0 is linear, the map t ↦ t
    alignas(double) unsigned char formula[24] = {};
};

// The arguments of a pass over a tile: out(i, j) = f(in(i, j) [, row[i], col[j]]).
template <class T>
struct tile_map {
    formula_call formula;
    map_input input;
    const T* in;
    std::int64_t in_stride;
    T* const* out;  // one pointer per row
    const T* row;   // ‖xᵢ‖², if the input is a squared distance or includes norms
    const T* col;   // ‖zⱼ‖², if the input is a squared distance or includes norms
    std::int64_t rows;
    std::int64_t width;   // a multiple of the length of a SIMD vector
    bool stream = false;  // store around the caches: the result is not read soon, and its rows are aligned to vectors
};

// The arguments of a pass that turns dot products into squared distances: t = ‖xᵢ‖² + ‖zⱼ‖² - 2·tile(i, j). Where t is
// smaller than row_thresholds[i] or col_thresholds[j], cancellation has lost too many digits, and the distance is
// computed again from the differences of the coordinates.
template <class T>
struct tile_distances {
    T* tile;  // dot products on entry, squared distances on return
    std::int64_t stride;
    std::int64_t rows;
    std::int64_t width;  // a multiple of the width of a panel
    const T *row, *col;  // squared norms
    const T *row_thresholds, *col_thresholds;
    // The packed vectors of the rows and the columns, and the parts that rounding to T removed from their coordinates
    // (null: none). If block is null, the pairs with cancellation are counted but not computed again.
    const T *block, *block_low;
    const T *panels, *panels_low;
    std::int64_t depth;
};

enum class tile_binary { add, multiply };

}  // namespace mercer
