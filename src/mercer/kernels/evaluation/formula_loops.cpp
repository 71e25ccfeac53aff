// Fills the table of tile loops (tile_ops.h). This file is compiled once per instruction set: MERCER_SIMD_TARGET is the
// namespace of the code, compiler flags select the instructions. Only code of that namespace may be emitted here, so
// that no function that other files share is compiled for a newer processor.
#include "mercer/kernels/evaluation/formula_loops.h"

#include "mercer/kernels/tile/packing.h"
#include "mercer/kernels/tile/pair_statistics.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

#define MERCER_TEXT2(x) #x
#define MERCER_TEXT(x) MERCER_TEXT2(x)

template <class T>
const tile_ops<T> table{MERCER_TEXT(MERCER_SIMD_TARGET),
                        lane_count<T>,
                        rows_in_block,
                        panel_width<T>,
                        sparse_panel_width<T>,
                        dense<T>,
                        sparse_dot<T>,
                        pack<T>,
                        panel_norms<T>,
                        sparse_norm<T>,
                        dense_low<T>,
                        distances<T>,
                        differences<T>,
                        map<T>,
                        binary<T>,
                        affine<T>,
                        power<T>,
                        polynomial_tile<T>,
                        exponential<T>,
                        outer<T>,
                        transpose<T>};

}  // namespace

template <>
const tile_ops<float>& ops<float>() {
    return table<float>;
}
template <>
const tile_ops<double>& ops<double>() {
    return table<double>;
}

}  // namespace mercer::MERCER_SIMD_TARGET
