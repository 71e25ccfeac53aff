#include <cstdlib>
#include <string_view>

#include "mercer/base/cpu.h"
#include "mercer/solvers/smo/vector_ops.h"

namespace mercer::smo {

const vector_ops& best_vector_ops() {
    static const vector_ops& best = []() -> const vector_ops& {
#if defined(MERCER_SIMD_X86)
        const char* wish = std::getenv("MERCER_SIMD");
        const std::string_view wanted = wish ? wish : "avx512";
        if (wanted == "avx512" && cpu_has_avx512()) return avx512::ops();
        if (wanted != "baseline" && cpu_has_avx2()) return avx2::ops();
#endif
        return baseline::ops();
    }();
    return best;
}

}  // namespace mercer::smo
