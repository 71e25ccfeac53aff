#include "mercer/solvers/smo/pair_loop.h"

#include "mercer/base/simd_level.h"

namespace mercer::smo {

const pair_loop& best_pair_loop() {
    static const pair_loop& best = []() -> const pair_loop& {
#if defined(MERCER_SIMD_X86)
        if (best_simd() == simd_level::avx512) return avx512::pairs();
        if (best_simd() == simd_level::avx2) return avx2::pairs();
#endif
        return baseline::pairs();
    }();
    return best;
}

}  // namespace mercer::smo
