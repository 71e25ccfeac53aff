// Random Fourier features (Rahimi, Recht 2007): a kernel k(x, z) = κ(x - z) with κ(0) = 1 is the Fourier transform of a
// probability density (Bochner), so that with frequencies w drawn from it
//     φ(x) = √(2/D) (cos w₁ᵀx, sin w₁ᵀx, …, cos w_{D/2}ᵀx, sin w_{D/2}ᵀx),     E⟨φ(x), φ(z)⟩ = k(x, z), ‖φ(x)‖ = 1,
// with a standard deviation of at most 1/√D. Where D is odd the last feature is √(2/D) cos(wᵀx + b) with a random b.
//
//     rbf         w ~ N(0, 2γI)
//     matern      w = u/(ℓ√(g/2ν)), u ~ N(0, I), g ~ χ²(2ν): a multivariate t
//     laplacian   each coordinate of w a Cauchy number times γ
//
// orthogonal (Yu, Suresh, Choromanski, Holtmann-Rice, Kumar 2016): the directions of d frequencies at a time are at
// right angles, their lengths as before, which takes from the variance. Not for the laplacian, whose w has no free
// direction.
#pragma once

#include <cstdint>

#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/model_file.h"

namespace mercer {

struct random_features_options {
    index n_components = 100;  // D >= 1
    bool orthogonal = true;
    std::uint64_t seed = 0;
};

struct random_features_model {
    std::shared_ptr<const kernel> k;
    matrix<double> frequencies;  // ⌈D/2⌉ × d
    index features = 0;          // D
    double phase = 0;            // b
};

random_features_model fit_random_features(const kernel& k, const dataset& x, const random_features_options& options);
matrix<double> transform(const random_features_model& model, const dataset& x);

}  // namespace mercer
