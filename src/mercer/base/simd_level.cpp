#include "mercer/base/simd_level.h"

#include <cstdlib>
#include <string_view>

namespace mercer {

simd_level best_simd() {
    static const simd_level best = [] {
#if defined(MERCER_SIMD_X86)
        __builtin_cpu_init();
        const char* wish = std::getenv("MERCER_SIMD");
        const std::string_view wanted = wish ? wish : "avx512";
        // Every processor with these features also has the others that cmake/simd.cmake compiles for (F16C, LZCNT,
        // MOVBE), except CLWB, which no loop uses.
        const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                          __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
        const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl");
        if (wanted == "avx512" && avx512) return simd_level::avx512;
        if (wanted != "baseline" && avx2) return simd_level::avx2;
#endif
        return simd_level::baseline;
    }();
    return best;
}

}  // namespace mercer
