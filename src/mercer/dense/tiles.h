// Division of column-major matrices into tiles, for the products of gemm.cpp and the triangular solves of cholesky.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mercer/base/matrix_view.h"
#include "mercer/base/threads.h"

namespace mercer::blas {

// Sizes of tiles. Each thread gets a few tiles, because the cost of packing per entry falls with the size of a tile,
// but a tile has to fit into the L2 cache. Entries do not depend on the size: a tile consists of whole micro-tiles of
// every instruction set, so only the edges of the matrix have incomplete micro-tiles.
inline constexpr int unit = 96;
inline int in_units(double size, int least, int most) {
    return std::clamp((static_cast<int>(size) + unit - 1) / unit * unit, least, most);
}
inline int tile_of(double entries) { return in_units(std::sqrt(entries / (6.0 * threads())), unit, 480); }
inline int chunk_of(int count) { return in_units(count / (3.0 * threads()), unit, 288); }
inline index parts(int size, int tile) { return (size + tile - 1) / tile; }

inline bool is(const char* option, char letter) { return option[0] == letter; }
template <class T>
T* at(T* a, int lda, std::ptrdiff_t i, std::ptrdiff_t j) {
    return a + i + j * lda;
}

inline constexpr int small = 48;  // triangles of at most this many rows are not divided
// About half of the rows of a triangle, rounded up to whole micro-tiles.
inline int first_half(int n) { return (n / 2 + 47) / 48 * 48; }

}  // namespace mercer::blas
