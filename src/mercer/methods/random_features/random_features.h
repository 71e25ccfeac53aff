// Random features: maps φ(x) to D numbers with E⟨φ(x), φ(z)⟩ = k(x, z).
//
// Fourier features (Rahimi, Recht 2007): a kernel k(x, z) = κ(x - z) with κ(0) = 1 is the Fourier transform of a
// probability density (Bochner). With frequencies w drawn from this density
//     φ(x) = √(2/D) (cos w₁ᵀx, sin w₁ᵀx, …, cos w_{D/2}ᵀx, sin w_{D/2}ᵀx),     ‖φ(x)‖ = 1,
// with a standard deviation of at most 1/√D. For odd D the last feature is √(2/D) cos(wᵀx + b) with a random b.
//
//     rbf         w ~ N(0, 2γI)
//     matern      w = u/(ℓ√(g/2ν)), u ~ N(0, I), g ~ χ²(2ν): a multivariate t
//     laplacian   each coordinate of w is γ times a Cauchy variable
//
// orthogonal (Yu, Suresh, Choromanski, Holtmann-Rice, Kumar 2016): the directions of every d frequencies are orthogonal
// (d: number of features of x), while their lengths keep the distribution above; this reduces the variance. structured:
// orthogonal frequencies by fast transforms, with 4 numbers of memory per frequency instead of d, and log d operations
// (structured_frequencies below). The distribution of w of the laplacian is not rotation invariant: with orthogonal its
// frequencies are independent, and structured throws errc::unsupported.
//
// poly and linear: count sketches of tensor products (count_sketch.h).
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const random_features_model m = fit_random_features(gaussian{0.1}, iris.x, {.n_components = 5000});
//     const matrix<double> phi = transform(m, iris.x);  // 150 × 5000
//     double product = 0;
//     for (int j = 0; j < 5000; ++j) product += phi(0, j) * phi(100, j);
//     const double exact = pair_value(gaussian{0.1}, part(iris.x, 0, 1), part(iris.x, 100, 1));
//     assert(std::abs(product - exact) < 0.1);
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

// The method random_features as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct random_features {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_components = 100;
    std::string frequencies = "orthogonal";
    index seed = 0;

    static method_info info() {
        return {"random_features",
                {"rff", "random_fourier_features", "count_sketch"},
                method_family::components,
                "random Fourier features (rbf, laplacian, matern), count sketches (poly, linear)",
                "φ(x) = √(2/D) (cos wⱼᵀx, sin wⱼᵀx), w from the Fourier transform of the kernel; a sketch of x⊗…⊗x",
                "mercer-random-features-model",
                target_kind::none,
                true,
                false,
                true};
    }
    template <class V>
    void options(V& v) {
        v.integer("n_components", n_components, 1, "number D of features");
        v.choice("frequencies", frequencies, {"orthogonal", "independent", "structured"},
                 "how the random frequencies w are drawn (rbf, laplacian, matern)");
        v.choice_meanings(
            {{"orthogonal", "orthogonal to each other, which lowers the variance; laplacian: independent"},
             {"independent", "independently of each other"},
             {"structured", "orthogonal by fast transforms, for vectors of many features; rbf and matern only"}});
        v.former_name("orthogonal", {{"true", "orthogonal"}, {"false", "independent"}});
        v.integer("seed", seed, 0, "random seed of the features");
    }
};

// Structured frequencies, which are never formed explicitly (Yu, Suresh, Choromanski, Holtmann-Rice, Kumar 2016,
// "Orthogonal random features", section 4; after Le, Sarlós, Smola 2013, "Fastfood"). A block of p frequencies has the
// matrix
//     W = S·H·D₁·H·D₂·H·D₃ / p^(3/2),
// where H is the Walsh-Hadamard matrix of order p, a power of two, Dᵢ are diagonal matrices of random signs and S
// contains the lengths of the frequencies. The rows of W are orthogonal, a block takes 4p numbers instead of p², and Wx
// takes 3p·log₂p additions. x is padded with zeros from d to p coordinates.
//
// The directions are only nearly uniform. For a unit vector u the coordinate v = uᵀHD₁HD₂HD₃e/p has E v² = 1/p and
// E v⁴ = 3/p² - 6/p³ + O(p⁻⁴); on the sphere E v⁴ = 3/(p²+2p) = 3/p² - 6/p³ + O(p⁻⁴). With lengths distributed like
// those of normal vectors in p dimensions, the kernel is approximated up to O(1/p²). A block therefore has at least 64
// frequencies: the error of an rbf is then 3e-4 in the worst direction found, and 0.005 with 16 frequencies. In the
// plane p = 2 would give only four directions.
struct structured_frequencies {
    static constexpr index min_width = 64;

    index dims = 0;               // d
    matrix<double> signs;         // each block has three rows of p signs: D₃, D₂, D₁
    std::vector<double> lengths;  // lengths ‖w‖ in p dimensions

    index size() const { return static_cast<index>(lengths.size()); }
    index width() const { return signs.cols(); }
    index blocks() const { return signs.rows() / 3; }
    static index width_for(index dims);
    static index blocks_for(index count, index width) { return (count + width - 1) / width; }

    // Computes out[j] = w_jᵀxᵢ; `scratch` has 2p numbers.
    void angles(const linear_operand& x, index i, double* scratch, double* out) const;
    // Returns the frequencies as a matrix, one per row.
    matrix<double> to_matrix() const;
};

// Draws `count` frequencies for vectors of `dims` coordinates. factor() is called once per frequency and multiplies the
// length of a normal vector.
structured_frequencies draw_structured(index dims, index count, normal_generator& random,
                                       const std::function<double()>& factor);

// How the frequencies are drawn: the choices of the file comment.
enum class frequency_choice { orthogonal, independent, structured };

// Options of fit_random_features().
struct random_features_options {
    index n_components = 100;  // D >= 1
    frequency_choice frequencies = frequency_choice::orthogonal;
    std::uint64_t seed = 0;
};

enum class random_feature_kind { frequencies, structured, sketch };

// The result of fit_random_features(): the random numbers that define φ.
struct random_features_model {
    std::shared_ptr<const kernel> k;
    index features = 0;  // D
    random_feature_kind kind = random_feature_kind::frequencies;
    // One of the following three is set, according to `kind`.
    matrix<double> frequencies;  // ⌈D/2⌉ × d
    structured_frequencies structured;
    count_sketch sketch;
    double phase = 0;  // b

    index dims() const;  // d
    // Returns the frequencies, one per row, ⌈D/2⌉ × d. Throws errc::unsupported for a count sketch, which has no
    // frequencies.
    matrix<double> to_matrix() const;
};

// Draws the random numbers of the feature map; of x only its kind and its number d of features are used. Throws
// errc::unsupported if the kernel has no random features or not with this choice of frequencies, and
// errc::invalid_argument if an option is out of range.
random_features_model fit_random_features(const kernel& k, const dataset& x, const random_features_options& options);
// Returns φ of every vector: a row for each vector, D columns.
matrix<double> transform(const random_features_model& model, const dataset& x);

namespace api {
struct method;
// The entry of random_features in the list of methods.
method random_features_method();
}  // namespace api

}  // namespace mercer
