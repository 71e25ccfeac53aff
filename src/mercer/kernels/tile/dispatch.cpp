#include <cstdlib>
#include <string_view>

#include "mercer/base/cpu.h"
#include "mercer/kernels/tile/ops.h"

namespace mercer {

template <class T>
const tile_ops<T>& best_tile_ops() {
    static const tile_ops<T>& best = []() -> const tile_ops<T>& {
#if defined(MERCER_SIMD_X86)
        const char* wish = std::getenv("MERCER_SIMD");
        const std::string_view wanted = wish ? wish : "avx512";
        if (wanted == "avx512" && cpu_has_avx512()) return avx512::ops<T>();
        if (wanted != "baseline" && cpu_has_avx2()) return avx2::ops<T>();
#endif
        return baseline::ops<T>();
    }();
    return best;
}

template const tile_ops<float>& best_tile_ops();
template const tile_ops<double>& best_tile_ops();

}  // namespace mercer
