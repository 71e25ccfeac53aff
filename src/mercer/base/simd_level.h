// Which of the compiled instruction sets this machine runs.
//
// Asked of the compiler's run-time library, not of libhwy: loading that library measures the resolution of a timer,
// which takes longer than a small training run.
#pragma once

namespace mercer {

enum class simd_level { baseline, avx2, avx512 };

// The widest there is, or a narrower one named in the environment variable MERCER_SIMD.
simd_level best_simd();

}  // namespace mercer
