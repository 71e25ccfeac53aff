// The instruction set of the vector loops, which are compiled once for each of several sets (cmake/simd.cmake).
//
// The processor's features come from the compiler's run-time library, not from libhwy: loading libhwy measures the
// resolution of a timer, which takes longer than a small training run.
#pragma once

namespace mercer {

enum class simd_level { baseline, avx2, avx512 };

// The widest set that this processor runs, or a narrower one that the environment variable MERCER_SIMD names ("avx2",
// "baseline").
simd_level best_simd();

}  // namespace mercer
