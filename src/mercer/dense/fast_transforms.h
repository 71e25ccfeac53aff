// Fast transforms of vectors whose length is a power of two.
//
// The Walsh-Hadamard matrix H = [[1, 1], [1, -1]]⊗…⊗[[1, 1], [1, -1]] has H² = nI, and Hx takes n·log₂n additions.
//
// Circular convolutions (a∗b)_k = Σ_i a_i b_{k-i mod n} are products of Fourier transforms (Cooley, Tukey 1965). The
// transform is our own: the products want it in no particular order, which saves the reordering, and take several
// sequences side by side in the lanes of a vector, which no FFT among the dependencies does (Eigen's kissfft takes one
// after the other in plain loops, and a length with a large prime factor takes it as many operations as the square).
#pragma once

#include <bit>
#include <cstdint>

#include "mercer/base/matrix_view.h"

namespace mercer {

// The inner loops of fast transforms, one implementation per instruction set, chosen at run time.

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

inline index power_of_two_from(index n) {
    return static_cast<index>(std::bit_ceil(static_cast<std::uint64_t>(n < 1 ? 1 : n)));
}

// Bundles of real sequences of length n, a power of two >= 2, to be convolved: number i of sequence r is at
// [i·lanes() + r]. Copies and calls from several threads are fine.
class convolution {
public:
    explicit convolution(index n);

    index length() const { return n_; }
    index lanes() const { return ops_.lanes; }
    index bundle() const { return n_ * ops_.lanes; }  // doubles
    // To the frequencies, times those of another bundle, and back.
    void forward(double* z) const { ops_.forward(z, n_, turn_.data(), reversed_.data()); }
    void multiply(double* to, const double* by) const { ops_.multiply(to, by, n_); }
    void back(double* z) const { ops_.back(z, n_, turn_.data(), reversed_.data()); }

private:
    index n_;
    buffer<double> turn_, reversed_;
    const transform_ops& ops_ = best_transform_ops();
};

}  // namespace mercer
