// Kernel principal components (Schölkopf, Smola & Müller 1998): the directions v in feature space along which the
// variance of the centred images φ̃(xᵢ) = φ(xᵢ) - Σⱼ wⱼφ(xⱼ)/W is largest, where wⱼ is the weight of example j. With D
// = diag(√w), H = I - 1wᵀ/W and W = Σw,
//     A u = λu,   A = D H K Hᵀ D,   v = Σᵢ αᵢφ̃(xᵢ),   α = D u/√λ,
//     score of x on v = Σᵢ αᵢ k(x, xᵢ) - Σᵢ αᵢ k̄ᵢ,   k̄ = K w/W.
// Since Σαᵢ = 0, kernel values of new examples need not be centred. The variance along v is λ/(W-1); the total variance
// is the trace of the centred matrix and needs no eigenvalues. With the linear kernel these are the usual principal
// components.
//
// Few components of many examples are computed by block Lanczos (dense/lanczos.h) on a product that centres implicitly,
// so that the centred matrix is never formed; otherwise LAPACK decomposes the matrix. The sign of each u is chosen so
// that its entry of largest magnitude is positive.
//
// A matrix with a negative eigenvalue below -1e-5 λ₁ (the threshold of scikit-learn) is not a matrix of inner products.
// The fit throws errc::not_psd if the requested components include such an eigenvalue. Otherwise the components are
// right, but shares of the variance are undefined: the ratios are NaN, and negative_share is above 0.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const kernel_pca_model m = fit_kernel_pca(gaussian{0.1}, iris.x, {.n_components = 2});
//     const matrix<double> scores = transform(m, iris.x);  // 150 × 2
//     assert(std::abs(scores(0, 0) - m.scores(0, 0)) < 1e-8);
//     assert(m.explained_variance_ratio[0] > m.explained_variance_ratio[1]);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"
#include "mercer/dense/lanczos.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/checkpoint.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

// The method kernel_pca as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct kernel_pca {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_components = 0;
    std::string solver = "auto";
    double tol = 1e-11;
    index max_iter = 200, seed = 0;

    static method_info info() {
        return with_checkpoints({"kernel_pca",
                                 {"pca"},
                                 method_family::components,
                                 "principal component analysis in feature space",
                                 "D H K Hᵀ D u = λu",
                                 "mercer-kernel-pca-model",
                                 target_kind::none,
                                 true,
                                 false,
                                 true},
                                "solver=iterative");
    }
    template <class V>
    void options(V& v) {
        const option_requirements iterative{{"solver", {"iterative"}}};
        v.integer("n_components", n_components, 0,
                  "number of components; 0: all whose eigenvalue exceeds the rounding error");
        v.choice("solver", solver, {"auto", "full", "iterative"}, "algorithm that solves the eigenvalue problem");
        v.former_name("solver", {{"automatic", "auto"}});
        v.choice_meanings({{"auto", "iterative for few components of many examples, otherwise full"},
                           {"full", "full eigendecomposition of the kernel matrix (LAPACK)"},
                           {"iterative", "block Lanczos for the largest eigenvalues"}});
        v.number("tol", tol, above(0), option_text::eigen_residual, iterative);
        v.integer("max_iter", max_iter, 1, "maximum number of passes over the kernel matrix K", iterative);
        v.integer("seed", seed, 0, "random seed of the starting vectors", iterative);
    }
};

// full: LAPACK computes all eigenvalues. iterative: block Lanczos computes the largest ones. automatic: full if all or
// a large fraction of the components are requested, otherwise iterative.
enum class eigen_solver { automatic, full, iterative };

// Options of fit_kernel_pca().
struct kernel_pca_options {
    index n_components = 0;  // 0: all components whose λ exceeds the rounding error
    eigen_solver solver = eigen_solver::automatic;
    double tol = 1e-11;                   // iterative: ‖Au - λu‖ <= tol·λ₁; at least 1e-7 if K is in float
    index max_iter = 200;                 // iterative: maximum number of passes over K
    std::uint64_t seed = 0;               // iterative: random seed of the starting block
    std::vector<double> sample_weight{};  // one weight per example (2: counts twice); empty: all 1
    std::size_t memory_bytes = std::size_t{2} << 30;
    bool exact = false;  // kernel values in double even if K does not fit into memory_bytes
    progress_callback progress{};
    fit_checkpoint checkpoint{};  // iterative: stores the products
};

// The result of fit_kernel_pca(), in the symbols of the file comment: the components, their variances and the scores.
struct kernel_pca_model {
    kernel_expansion projection;      // function j is the score on component j
    std::vector<double> eigenvalues;  // λ, descending, all positive
    std::vector<double> explained_variance;
    std::vector<double> explained_variance_ratio;  // NaN where negative_share > 0
    // -λ_min/λ₁ if the fit found it above the rounding error, otherwise 0. It is not saved in files.
    double negative_share = 0;
    double total_variance = 0;      // trace/(W-1)
    std::vector<double> residuals;  // iterative: ‖Au - λu‖ of each pair; empty after LAPACK
    fit_status status = fit_status::converged;
    index passes = 0;       // number of passes over K
    matrix<double> scores;  // scores of the training examples
    std::vector<double>
        squared_residuals;     // squared distance in feature space of each training example to its projection
    std::vector<double> mean;  // w/W
    double weight = 0;         // W

    index components() const { return projection.functions(); }
};

// Fits to the objects x with the kernel k, or to the kernel matrix K of the examples. Besides errc::not_psd (above),
// throws errc::invalid_argument if an option is out of range or K is not square, errc::data if there are no examples or
// a value is not finite, and errc::memory if a full decomposition does not fit into memory_bytes. Time O(n³) for all
// components, n² per pass for few.
kernel_pca_model fit_kernel_pca(const kernel& k, const dataset& x, const kernel_pca_options& options);
kernel_pca_model fit_kernel_pca(const gram<double>& K, const kernel_pca_options& options);

// Returns the scores of new objects: a row for each object, a column for each component. K contains kernel values of
// new objects (rows) against all training examples (columns).
matrix<double> transform(const kernel_pca_model& model, const dataset& z);
matrix<double> transform(const kernel_pca_model& model, const gram<double>& K);
// Returns a model with the first `count` components. Throws errc::invalid_argument if the model has fewer.
kernel_pca_model first_components(const kernel_pca_model& model, index count);

// Three rules for the number of components to keep, for use with first_components(). components_for_share() returns the
// smallest number of leading components whose variances add up to at least the fraction `share` of the total variance,
// 0 < share <= 1, or the number of all components of the model if even these do not reach it.
index components_for_share(const kernel_pca_model& model, double share);
// Returns the number of components of the model whose variance exceeds the mean variance of the n-1 possible
// directions, total_variance/(n-1), n the number of training examples (Kaiser's rule).
index components_above_mean(const kernel_pca_model& model);
// Returns the number j of leading components whose shares of the variance all exceed those of the broken-stick rule
// (Frontier 1976): the i-th largest share must be larger than the expected length of the i-th longest part of a stick
// of length 1 that is broken at random into n-1 parts.
index components_above_broken_stick(const kernel_pca_model& model);

// Internal to kernel PCA: eigenpairs of A = D H K Hᵀ D, the kernel matrix centred with weights w, where D = diag(√w),
// H = I - 1wᵀ/W and W = Σw.

// The vectors that turn K into A. k_mean and total are set by the first product with K.
struct centring {
    std::vector<double> root;    // √w
    std::vector<double> mean;    // w/W
    std::vector<double> k_mean;  // K w/W
    double total = 0;            // wᵀKw/W²
};

centring make_centring(const std::vector<double>& weight);

// A product with K and the settings of an iteration that uses it.
struct gram_multiplication {
    block_operator product;
    index block = 8;     // number of columns per product
    double min_tol = 0;  // smallest tolerance that the precision of the entries of K allows
};

// Multiplies by K row by row. If kernel values are expensive to compute, the block is wide, so that one pass serves
// many columns.
template <class T>
gram_multiplication multiply_by_rows(const gram<T>& K, index components);

// Eigenpairs of A in descending order; row j of `vectors` is uⱼ.
struct centred_pairs {
    std::vector<double> values;
    matrix<double> vectors;
    std::vector<double> residuals;
    fit_status status = fit_status::converged;
    index passes = 0;
    double min_eigenvalue = 0;  // the smallest eigenvalue, or an upper bound on it
};

// Computes all eigenpairs of A.
template <class T>
centred_pairs compute_all_pairs(const gram<T>& K, const gram_multiplication& by, centring& c);

struct centred_eigen_options {
    index count = 1;
    double tol = 1e-11;
    index max_passes = 200;
    std::uint64_t seed = 0;
    std::function<bool(index pass, double residual)> progress{};  // returns false to stop
};

// Computes the `count` largest eigenpairs by block Lanczos.
centred_pairs compute_largest_pairs(const gram_multiplication& K, centring& c, const centred_eigen_options& o);

namespace api {
struct method;
// The entry of kernel_pca in the list of methods.
method kernel_pca_method();
}  // namespace api

}  // namespace mercer
