// The vocabulary shared by kernels and the SIMD code: statistics of pairs, scalar maps, and calls on tiles.
// Kept free of other headers' inline functions, because formula_loops.cpp is compiled once per instruction set.
#pragma once

#include <cstdint>

namespace mercer {

// Statistics of a pair of vectors x, z.
enum class statistic {
    dot,        // Σ xₐzₐ
    manhattan,  // Σ |xₐ-zₐ|
    min_sum,    // Σ min(xₐ, zₐ)
    chi2,       // Σ (xₐ-zₐ)²/(xₐ+zₐ), 0/0 = 0
    product,    // ∏ (1 + xₐzₐ)
    user        // whatever a user's function says
};

// What the map is applied to.
enum class map_input {
    value,             // f(t), t the statistic
    squared_distance,  // f(max(0, ‖x‖² + ‖z‖² - 2t)), t the dot product
    with_norms         // f(t, ‖x‖², ‖z‖²)
};

// A scalar map: the call operator of a kernel of the list (all_kernels.h), with the bytes of that kernel's struct.
struct map_call {
    std::int32_t place = 0;  // in the list; the first is linear, the map t ↦ t
    alignas(double) unsigned char formula[24] = {};
};

// A tile pass: out(i, j) = f(in(i, j) [, row[i], col[j]]).
template <class T>
struct tile_map {
    map_call formula;
    map_input input;
    const T* in;
    std::int64_t in_stride;
    T* const* out;  // one pointer a row
    const T* row;   // ‖xᵢ‖² where the input wants norms
    const T* col;
    std::int64_t rows;
    std::int64_t width;   // a whole number of vectors
    bool stream = false;  // write past the caches: nobody reads the result soon, and its rows are aligned to vectors
};

// Squared distances from dot products, and from differences where those leave doubt: t = ‖x‖² + ‖z‖² - 2·tile(i, j)
// stays where it is at least the larger of row_doubt[i] and col_doubt[j].
template <class T>
struct tile_distances {
    T* tile;  // dot products, then squared distances
    std::int64_t stride;
    std::int64_t rows;
    std::int64_t width;  // a whole number of panels
    const T *row, *col;  // squared norms
    const T *row_doubt, *col_doubt;
    // The vectors as `dense` reads them, and what rounding took from them (null: nothing). No block: doubtful pairs are
    // only counted.
    const T *block, *block_low;
    const T *panels, *panels_low;
    std::int64_t depth;
};

enum class tile_binary { add, multiply };

}  // namespace mercer
