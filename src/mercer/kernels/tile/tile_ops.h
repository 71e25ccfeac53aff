// The hot loops, one implementation per instruction set (AVX-512, AVX2, baseline), chosen once at run time.
//
// Operands come packed. The streamed side is a block of `block_rows` vectors interleaved coordinate by coordinate; the
// other side is panels of `panel` vectors interleaved likewise. Every sum over coordinates is one chain of fused
// multiply-adds in ascending order, for dense and sparse operands and for norms alike, so equal vectors have distance
// exactly zero.
#pragma once

#include <cstdint>

#include "mercer/kernels/formula_call.h"

namespace mercer {

// Squared distances of doubtful pairs from their differences, slice by slice over the coordinates. The tile holds what
// products gave, the vectors are those of a slice; `sums` has room for 4·rows·width numbers that belong to this tile
// until its last slice.
template <class T>
struct tile_differences {
    T* tile;
    std::int64_t stride;
    std::int64_t rows;
    std::int64_t width;  // a whole number of panels
    const T *row_doubt, *col_doubt;
    const T *block, *block_low;    // low parts: null where there are none
    const T *panels, *panels_low;  // every panel_stride numbers a panel
    std::int64_t panel_stride;
    std::int64_t depth;  // a multiple of 4 but for the last slice
    T* sums;
    bool first, last;
};

template <class T>
struct tile_ops {
    const char* name;
    std::int64_t lanes;         // numbers in a vector
    std::int64_t block_rows;    // vectors in a streamed block
    std::int64_t panel;         // vectors in a dense panel
    std::int64_t sparse_panel;  // vectors in a panel that sparse rows are streamed against

    // out(r, j) = statistic(block vector r, panel vector j), r < block_rows, j < panel. `more`: continue from out's
    // values.
    void (*dense)(statistic what, const T* block, const T* panel, std::int64_t depth, T* out, std::int64_t stride,
                  bool more);
    // out[j] = Σ_k value[k] · panel[col[k]][j], j < sparse_panel.
    void (*sparse_dot)(const std::int32_t* col, const T* value, std::int64_t count, const T* panel, T* out);
    // packed[k·width + r] ← vectors[r][k] - shift[k] (shift may be null) for r < rows, 0 for rows <= r < width.
    void (*pack)(const T* const* vectors, std::int64_t rows, std::int64_t depth, const T* shift, T* packed,
                 std::int64_t width);
    // out[j] = Σ_k panel[k][j]², j < panel, and the same for one sparse vector: the chains that `dense` and
    // `sparse_dot` follow.
    void (*panel_norms)(const T* panel, std::int64_t depth, T* out);
    T (*sparse_norm)(const T* value, std::int64_t count);

    // out(r, j) of vectors with low parts, for statistics that are sums over differences (manhattan, chi2). `more` as
    // above.
    void (*dense_low)(statistic what, const T* block, const T* block_low, const T* panel, const T* panel_low,
                      std::int64_t depth, T* out, std::int64_t stride, bool more);
    // How many pairs were in doubt.
    std::int64_t (*distances)(const tile_distances<T>& call);
    void (*differences)(const tile_differences<T>& call);
    void (*map)(const tile_map<T>& call);
    // a ← a ∘ b over `count` numbers (whole vectors)
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

// The best set of loops this processor can run. MERCER_SIMD=baseline|avx2|avx512 in the environment forces one.
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
