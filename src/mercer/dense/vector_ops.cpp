#include "mercer/dense/vector_ops.h"

#include "mercer/base/simd_level.h"

namespace mercer::smo {

const vector_ops& best_vector_ops() {
    static const vector_ops& best = []() -> const vector_ops& {
#if defined(MERCER_SIMD_X86)
        if (best_simd() == simd_level::avx512) return avx512::ops();
        if (best_simd() == simd_level::avx2) return avx2::ops();
#endif
        return baseline::ops();
    }();
    return best;
}

}  // namespace mercer::smo
