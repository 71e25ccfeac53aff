#include "mercer/dense/vector_ops.h"

#include "mercer/base/simd_level.h"

namespace mercer {

const vector_ops& best_vector_ops() {
    static const vector_ops& best = []() -> const vector_ops& {
#if defined(MERCER_SIMD_X86)
        if (best_simd() == simd_level::avx512) return avx512::vector_loops();
        if (best_simd() == simd_level::avx2) return avx2::vector_loops();
#endif
        return baseline::vector_loops();
    }();
    return best;
}

}  // namespace mercer
