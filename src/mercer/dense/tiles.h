// How matrices are divided into tiles, column by column as Fortran stores them: what the products of gemm.cpp and the
// triangular solves of cholesky.cpp share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mercer/base/matrix_view.h"
#include "mercer/base/threads.h"

namespace mercer::blas {

// Some tiles for each thread, for packing one costs as much however large it is; no more than stays in L2. What an
// entry is does not depend on it: tiles are whole micro-tiles of every instruction set, so that only the edges of the
// matrix are edges.
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

inline constexpr int small = 48;  // rows of a triangle that is not divided any more
// Half of a triangle, in whole micro-tiles.
inline int first_half(int n) { return (n / 2 + 47) / 48 * 48; }

}  // namespace mercer::blas
