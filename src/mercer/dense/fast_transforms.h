// Fast transforms of vectors whose length is a power of two.
//
// The Walsh-Hadamard matrix H = [[1, 1], [1, -1]]⊗…⊗[[1, 1], [1, -1]] has H² = nI, and Hx takes n·log₂n additions.
//
// Circular convolutions (a∗b)_k = Σ_i a_i b_{k-i mod n} are products of Fourier transforms (Cooley, Tukey 1965). This
// file has its own FFT for two reasons. The products accept the frequencies in any order, so the bit reversal is saved.
// And several sequences are transformed at a time, one per lane of a SIMD vector, which no FFT among the dependencies
// does (Eigen's kissfft transforms one after the other in scalar loops, and takes O(n²) operations for a length with a
// large prime factor).
#pragma once

#include <bit>
#include <cstdint>

#include "mercer/base/matrix_view.h"

namespace mercer {

// The inner loops of fast transforms, one implementation per instruction set, chosen at run time.
struct transform_ops {
    const char* name;
    // x ← Hx for the Walsh-Hadamard matrix H of entries ±1; n is a power of two.
    void (*walsh_hadamard)(double* x, std::int64_t n);
    // out[2j] = scale·cos angle[j], out[2j+1] = scale·sin angle[j]. Returns true if all angles are finite.
    bool (*cos_sin)(const double* angle, std::int64_t count, double scale, double* out);

    // A bundle holds `lanes` real sequences of length n, a power of two >= 2: number i of sequence r is z[i·lanes + r].
    // Two consecutive numbers of a sequence are the parts of a complex number, so a transform of n/2 complex numbers
    // suffices. turn[2k] = cos 2πk/n and turn[2k+1] = sin 2πk/n for k < n; `reversed` holds the same for k < n/2, at
    // the position of k with its bits in reverse order.
    std::int64_t lanes;
    // Replaces z by its Fourier transform, whose order only `multiply` and `inverse` know.
    void (*forward)(double* z, std::int64_t n, const double* turn, const double* reversed);
    // to ← to·by for every frequency.
    void (*multiply)(double* to, const double* by, std::int64_t n);
    // Replaces a transform by its sequence, the inverse of `forward`.
    void (*inverse)(double* z, std::int64_t n, const double* turn, const double* reversed);
    // Adds x[j·lanes + r] to z[place·lanes + r], or subtracts it, for j < count: where[j] = 2·place + (1 to subtract).
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

// The smallest power of two that is at least n.
inline index next_power_of_two(index n) {
    return static_cast<index>(std::bit_ceil(static_cast<std::uint64_t>(n < 1 ? 1 : n)));
}

// Circular convolution of bundles of real sequences of length n, a power of two >= 2. Number i of sequence r is at
// z[i·lanes() + r]. An object can be used by several threads.
class convolution {
public:
    explicit convolution(index n);

    index length() const { return n_; }
    index lanes() const { return ops_.lanes; }
    index bundle() const { return n_ * ops_.lanes; }  // doubles of a bundle
    // a∗b is inverse(multiply(forward(a), forward(b))).
    void forward(double* z) const { ops_.forward(z, n_, turn_.data(), reversed_.data()); }
    void multiply(double* to, const double* by) const { ops_.multiply(to, by, n_); }
    void inverse(double* z) const { ops_.inverse(z, n_, turn_.data(), reversed_.data()); }

private:
    index n_;
    buffer<double> turn_, reversed_;
    const transform_ops& ops_ = best_transform_ops();
};

}  // namespace mercer
