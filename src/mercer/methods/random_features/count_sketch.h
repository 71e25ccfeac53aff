// Random features of polynomial kernels by count sketches (Pham, Pagh 2013, "Fast and scalable polynomial kernels via
// explicit feature maps"). k(x, z) = (γxᵀz + c)^q is ⟨y⊗…⊗y, y′⊗…⊗y′⟩ with y = (√γ x, √c) and q factors. A count sketch
// (Charikar, Chen, Farach-Colton 2002) adds coordinate a, with a random sign s(a), to bucket h(a) of N, drawn at
// random. The sketch of the tensor product with the hash h₁(a₁) + … + h_q(a_q) mod N and the signs s₁(a₁)…s_q(a_q) is
// the circular convolution of the sketches of its factors, so φ(x) takes q·nnz(x) additions and q + 1 Fourier
// transforms of N numbers:
//     E⟨φ(x), φ(z)⟩ = k(x, z),
//     standard deviation at most ((2 + 3^q)/D)^½ (γ‖x‖² + c)^(q/2) (γ‖z‖² + c)^(q/2)
// (Avron, Nguyen, Woodruff 2014, lemma 1). For q = 1, without a convolution, N = D. Otherwise N is the smallest power
// of two that is at least D, for which Fourier transforms are fast, and bucket b is added to feature b mod D. This
// leaves the mean unchanged, which depends on the signs only. Two coordinates collide with probability (3N - 2D)/N²
// instead of 1/D, which is at most an eighth more, and the same if D is a power of two.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"

namespace mercer {

struct count_sketch {
    index dims = 0;      // d
    index degree = 1;    // q
    index features = 0;  // D
    index buckets = 0;   // N
    double gamma = 1, coef0 = 0;
    // For each factor one number per coordinate of y: 2·h(a), plus 1 if s(a) = -1.
    std::vector<index> places;

    index coordinates() const { return dims + (coef0 > 0 ? 1 : 0); }  // coordinates of y
    static index buckets_for(index features, index degree);
};

count_sketch draw_count_sketch(index dims, index degree, double gamma, double coef0, index features,
                               std::uint64_t seed);
// Writes φ of every row of x to `out`, D numbers per row.
void apply(const count_sketch& sketch, const dataset& x, matrix_view<double> out);

}  // namespace mercer
