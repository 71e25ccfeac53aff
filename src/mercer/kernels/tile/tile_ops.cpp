#include "mercer/kernels/tile/tile_ops.h"

#include "mercer/base/simd_level.h"
#include "mercer/kernels/tile/bits.h"

namespace mercer {

template <class T>
const tile_ops<T>& best_tile_ops() {
    static const tile_ops<T>& best = []() -> const tile_ops<T>& {
#if defined(MERCER_SIMD_X86)
        if (best_simd() == simd_level::avx512) return avx512::ops<T>();
        if (best_simd() == simd_level::avx2) return avx2::ops<T>();
#endif
        return baseline::ops<T>();
    }();
    return best;
}

const bit_ops* best_bit_ops() {
#if defined(MERCER_SIMD_X86)
    static const bool counts = best_simd() == simd_level::avx512 && __builtin_cpu_supports("avx512vpopcntdq");
    if (counts) return &avx512::popcount_ops();
#endif
    return nullptr;
}

template const tile_ops<float>& best_tile_ops();
template const tile_ops<double>& best_tile_ops();

}  // namespace mercer
