// The table of all SIMD loops over tiles, one implementation per instruction set (AVX-512, AVX2, baseline). The
// processor's best one is chosen once, at run time.
//
// The loops read packed vectors. The rows of a tile are a block of `block_rows` vectors interleaved coordinate by
// coordinate; its columns are panels of `panel` vectors interleaved in the same way. Every sum over coordinates is one
// chain of fused multiply-adds in ascending order, for dense and sparse vectors and for norms alike, so the distance
// between equal vectors is exactly zero.
#pragma once

#include <cstdint>

#include "mercer/kernels/formula_call.h"

namespace mercer {

// Recomputes squared distances that cancellation has made inaccurate from the coordinate differences, one
// range of coordinates after the other. A pair is recomputed if its squared distance is below the larger of
// row_thresholds[i] and col_thresholds[j]. `tile` holds the squared distances computed from dot products; block and
// panels hold the coordinates of the current range. `sums` points to 4·rows·width numbers, which belong to
// this tile until its last range.
template <class T>
struct tile_differences {
    T* tile;
    std::int64_t stride;
    std::int64_t rows;
    std::int64_t width;  // a whole number of panels
    const T *row_thresholds, *col_thresholds;
    const T *block, *block_low;    // low parts (rounding errors of the coordinates), or null
    const T *panels, *panels_low;  // consecutive panels are panel_stride numbers apart
    std::int64_t panel_stride;
    std::int64_t depth;  // number of coordinates of the range; a multiple of 4, except in the last range
    T* sums;
    bool first, last;
};

template <class T>
struct tile_ops {
    const char* name;
    std::int64_t lanes;         // numbers in a SIMD vector
    std::int64_t block_rows;    // vectors in a block of rows
    std::int64_t panel;         // vectors in a dense panel
    std::int64_t sparse_panel;  // vectors in a panel that is multiplied by sparse rows

    // out(r, j) = statistic(block vector r, panel vector j) for r < block_rows, j < panel. `more`: continue from the
    // values in `out`.
    void (*dense)(pair_statistic what, const T* block, const T* panel, std::int64_t depth, T* out, std::int64_t stride,
                  bool more);
    // out[j] = Σ_k value[k] · panel[col[k]][j] for j < sparse_panel.
    void (*sparse_dot)(const std::int32_t* col, const T* value, std::int64_t count, const T* panel, T* out);
    // packed[k·width + r] ← vectors[r][k] - shift[k] (shift may be null) for r < rows, 0 for rows <= r < width.
    void (*pack)(const T* const* vectors, std::int64_t rows, std::int64_t depth, const T* shift, T* packed,
                 std::int64_t width);
    // out[j] = Σ_k panel[k][j]² for j < panel, and the squared norm of one sparse vector. Both use the same chain of
    // operations as `dense` and `sparse_dot`.
    void (*panel_norms)(const T* panel, std::int64_t depth, T* out);
    T (*sparse_norm)(const T* value, std::int64_t count);

    // The same as `dense` for vectors with low parts and statistics that are sums over differences (manhattan, chi2).
    void (*dense_low)(pair_statistic what, const T* block, const T* block_low, const T* panel, const T* panel_low,
                      std::int64_t depth, T* out, std::int64_t stride, bool more);
    // Turns dot products into squared distances (tile_distances in formula_call.h) and returns the number of pairs
    // whose distance cancellation has made inaccurate.
    std::int64_t (*distances)(const tile_distances<T>& call);
    void (*differences)(const tile_differences<T>& call);
    void (*map)(const tile_map<T>& call);
    // a ← a ∘ b for `count` numbers. Here and below, `count` is a whole number of SIMD vectors.
    void (*binary)(tile_binary what, T* a, const T* b, std::int64_t count);
    // a ← scale·a + shift
    void (*affine)(T* a, double scale, double shift, std::int64_t count);
    void (*power)(T* a, double exponent, std::int64_t count);
    void (*polynomial)(T* a, const double* coefficients, std::int64_t terms, std::int64_t count);
    void (*exponential)(T* a, std::int64_t count);
    // a(i, j) ← a(i, j) ∘ u[i] ∘ v[j]
    void (*outer)(tile_binary what, T* a, std::int64_t stride, const T* u, const T* v, std::int64_t rows,
                  std::int64_t width);
    // out(j, i) = in(i, j)
    void (*transpose)(const T* in, std::int64_t in_stride, T* out, std::int64_t out_stride, std::int64_t rows,
                      std::int64_t cols);
};

// Returns the fastest set of loops that this processor can run. The environment variable
// MERCER_SIMD=baseline|avx2|avx512 selects one explicitly.
template <class T>
const tile_ops<T>& best_tile_ops();

namespace avx512 {
template <class T>
const tile_ops<T>& ops();
}
namespace avx2 {
template <class T>
const tile_ops<T>& ops();
}
namespace baseline {
template <class T>
const tile_ops<T>& ops();
}

}  // namespace mercer
