// The inner loops of fast transforms, one implementation per instruction set, chosen at run time.
#pragma once

#include <cstdint>

namespace mercer {

struct transform_ops {
    const char* name;
    // x ← Hx in place, H the Walsh-Hadamard matrix of ±1, n a power of two: n·log₂n additions.
    void (*walsh_hadamard)(double* x, std::int64_t n);
    // out[2j] = scale·cos angle[j], out[2j+1] = scale·sin angle[j]; whether all angles are finite.
    bool (*waves)(const double* angle, std::int64_t count, double scale, double* out);

    // Sequences of real numbers side by side, `lanes` of them in a bundle: number i of sequence r is z[i·lanes + r].
    // Two numbers that follow each other are the parts of a complex one, so that n numbers take a transform of n/2.
    // turn[2k], turn[2k+1] = cos, sin 2πk/n for k < n; `reversed` those for k < n/2 with the bits of k in reverse
    // order; n a power of two >= 2.
    std::int64_t lanes;
    // z becomes its Fourier transform, in an order of its own that only `multiply` and `back` need to know.
    void (*forward)(double* z, std::int64_t n, const double* turn, const double* reversed);
    // to ← to·by, frequency by frequency
    void (*multiply)(double* to, const double* by, std::int64_t n);
    // The sequence whose transform it is.
    void (*back)(double* z, std::int64_t n, const double* turn, const double* reversed);
    // z[place·lanes + r] ± x[j·lanes + r], the place and the sign of coordinate j from where[j] = 2·place + negative.
    void (*scatter)(double* z, const std::int64_t* where, const double* x, std::int64_t count);
};

const transform_ops& best_transform_ops();

namespace avx512 {
const transform_ops& transforms();
}
namespace avx2 {
const transform_ops& transforms();
}
namespace baseline {
const transform_ops& transforms();
}

}  // namespace mercer
