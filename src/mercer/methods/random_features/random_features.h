// Random features: φ(x) of D numbers with E⟨φ(x), φ(z)⟩ = k(x, z).
//
// Fourier's (Rahimi, Recht 2007): a kernel k(x, z) = κ(x - z) with κ(0) = 1 is the Fourier transform of a probability
// density (Bochner), so that with frequencies w drawn from it
//     φ(x) = √(2/D) (cos w₁ᵀx, sin w₁ᵀx, …, cos w_{D/2}ᵀx, sin w_{D/2}ᵀx),     ‖φ(x)‖ = 1,
// with a standard deviation of at most 1/√D. Where D is odd the last feature is √(2/D) cos(wᵀx + b) with a random b.
//
//     rbf         w ~ N(0, 2γI)
//     matern      w = u/(ℓ√(g/2ν)), u ~ N(0, I), g ~ χ²(2ν): a multivariate t
//     laplacian   each coordinate of w a Cauchy number times γ
//
// orthogonal (Yu, Suresh, Choromanski, Holtmann-Rice, Kumar 2016): the directions of d frequencies at a time are at
// right angles, their lengths as before, which takes from the variance; structured: the same by fast transforms, with
// 4 numbers of memory a frequency in place of d and log d operations (structured_frequencies.h). Neither is for the
// laplacian, whose w has no free direction.
//
// poly and linear: count sketches of tensor products (count_sketch.h).
#pragma once

#include <cstdint>

#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/model_file.h"
#include "mercer/methods/random_features/count_sketch.h"
#include "mercer/methods/random_features/structured_frequencies.h"

namespace mercer {

enum class frequency_choice { orthogonal, independent, structured };

struct random_features_options {
    index n_components = 100;  // D >= 1
    frequency_choice frequencies = frequency_choice::orthogonal;
    std::uint64_t seed = 0;
};

enum class feature_map { frequencies, structured, sketch };

struct random_features_model {
    std::shared_ptr<const kernel> k;
    index features = 0;  // D
    feature_map kind = feature_map::frequencies;
    // By kind, one of these.
    matrix<double> frequencies;  // ⌈D/2⌉ × d
    structured_frequencies structured;
    count_sketch sketch;
    double phase = 0;  // b

    index dims() const;  // d
    // One a row, ⌈D/2⌉ × d. Fails for a count sketch, which has none.
    matrix<double> written_out() const;
};

random_features_model fit_random_features(const kernel& k, const dataset& x, const random_features_options& options);
matrix<double> transform(const random_features_model& model, const dataset& x);

}  // namespace mercer
