// Which instruction sets this processor has. (Highway's own detection lives in a shared library that spends milliseconds on
// calibrating a timer when a program starts.)
#pragma once

namespace mercer {

#if defined(__x86_64__)
inline bool cpu_has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("aes"); }
inline bool cpu_has_avx512() {
    return cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}
#else
inline bool cpu_has_avx2() { return false; }
inline bool cpu_has_avx512() { return false; }
#endif

}  // namespace mercer
