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
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/random_generator.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"
#include "mercer/methods/random_features/count_sketch.h"

namespace mercer {

struct random_features {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_components = 100;
    std::string frequencies = "orthogonal";
    index seed = 0;

    static method_facts facts() {
        return {"random_features",
                {"rff", "random_fourier_features", "count_sketch"},
                method_family::components,
                "random features: Fourier's of rbf, laplacian and matern, count sketches of poly and linear",
                "φ(x) = √(2/D) (cos wⱼᵀx, sin wⱼᵀx), w from the Fourier transform of the kernel; a sketch of x⊗…⊗x",
                "mercer-random-features-model",
                answer::none,
                true,
                false,
                true};
    }
    template <class V>
    void options(V& v) {
        v.whole("n_components", n_components, 1, "D, features");
        v.choice("frequencies", frequencies, {"orthogonal", "independent", "structured"},
                 "at right angles to each other, which takes from the variance; each by itself; at right angles by "
                 "fast transforms, for many coordinates (rbf, matern)");
        v.formerly("orthogonal", {{"true", "orthogonal"}, {"false", "independent"}});
        v.whole("seed", seed, 0, "of what is drawn");
    }
};

// Frequencies that are nowhere written out (Yu, Suresh, Choromanski, Holtmann-Rice, Kumar 2016, "Orthogonal random
// features", section 4; after Le, Sarlós, Smola 2013, "Fastfood"): of a block of p frequencies the matrix is
//     W = S·H·D₁·H·D₂·H·D₃ / p^(3/2),
// H the Walsh-Hadamard matrix of p, a power of two, Dᵢ diagonal matrices of random signs, S the lengths of the
// frequencies. Its rows are at right angles, a block takes 4p numbers in place of p², and Wx takes 3p·log₂p additions.
// x has zeros behind its d coordinates.
//
// The directions are uniform only nearly. For a unit vector u the coordinate v = uᵀHD₁HD₂HD₃e/p has E v² = 1/p and
// E v⁴ = 3/p² - 6/p³ + O(p⁻⁴), where the sphere's is 3/(p²+2p) = 3/p² - 6/p³ + O(p⁻⁴): with lengths as those of normal
// vectors of p coordinates, a kernel is met up to O(1/p²). Blocks have at least 64 frequencies for that reason (an rbf
// is then met up to 3e-4 in the worst direction found, and 0.005 with 16): in the plane p = 2 would know four
// directions and no others.

struct structured_frequencies {
    static constexpr index least_width = 64;

    index dims = 0;               // d
    matrix<double> signs;         // a block has three rows of p: D₃, D₂, D₁
    std::vector<double> lengths;  // ‖w‖ in p coordinates

    index size() const { return static_cast<index>(lengths.size()); }
    index width() const { return signs.cols(); }
    index blocks() const { return signs.rows() / 3; }
    static index width_for(index dims);
    static index blocks_for(index count, index width) { return (count + width - 1) / width; }

    // out[j] = w_jᵀxᵢ; scratch of 2p.
    void angles(const linear_operand& x, index i, double* scratch, double* out) const;
    // The same frequencies written out, one a row.
    matrix<double> written_out() const;
};

// `count` frequencies for vectors of `dims` coordinates; factor() is drawn for each and multiplies a normal length.
structured_frequencies draw_structured(index dims, index count, normal_numbers& random,
                                       const std::function<double()>& factor);

enum class frequency_choice { orthogonal, independent, structured };

struct random_features_options {
    index n_components = 100;  // D >= 1
    frequency_choice frequencies = frequency_choice::orthogonal;
    std::uint64_t seed = 0;
};

enum class random_feature_kind { frequencies, structured, sketch };

struct random_features_model {
    std::shared_ptr<const kernel> k;
    index features = 0;  // D
    random_feature_kind kind = random_feature_kind::frequencies;
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

namespace api {
struct method;
method random_features_method();
}  // namespace api

}  // namespace mercer
