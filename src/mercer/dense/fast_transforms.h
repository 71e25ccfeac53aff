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

#include "mercer/base/matrix_view.h"
#include "mercer/dense/transform_ops.h"

namespace mercer {

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
