// Kernel principal components (Schölkopf, Smola & Müller 1998): the directions v in feature space along which the
// centred images φ̃(xᵢ) = φ(xᵢ) - Σⱼ wⱼφ(xⱼ)/W vary most. With D = diag(√w), H = I - 1wᵀ/W and W = Σw,
//     D H K Hᵀ D u = λu,   v = Σᵢ αᵢφ̃(xᵢ), α = D u/√λ,   score of x on v = Σᵢ αᵢ k(x, xᵢ) - Σᵢ αᵢ k̄ᵢ,  k̄ = K w/W
// (Σαᵢ = 0, so a row of new kernel values need not be centred). λ/(W-1) is the variance along v; the trace of the
// centred matrix is all of it, known exactly without one eigenvalue. With the linear kernel: principal components.
//
// Few components of many objects come from block Lanczos (dense/lanczos.h) on a product that centres on
// the fly, so that the centred matrix is never formed; otherwise from LAPACK. Each u has its entry of largest size
// positive.
//
// A matrix with a negative eigenvalue larger than 1e-5 λ₁, scikit-learn's measure, is not one of inner products. It is
// refused where the components asked for would reach such an eigenvalue. Otherwise the components are right, but
// there are no shares of a variance: the ratios are NaN, and negative_share says why.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/fit_checkpoint.h"
#include "mercer/base/matrix_view.h"
#include "mercer/dense/lanczos.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

struct kernel_pca {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_components = 0;
    std::string solver = "automatic";
    double tol = 1e-11;
    index max_iter = 200, seed = 0;

    static method_facts facts() {
        return with_checkpoints({"kernel_pca",
                                 {"pca"},
                                 method_family::components,
                                 "principal components in feature space",
                                 "D H K Hᵀ D u = λu",
                                 "mercer-kernel-pca-model",
                                 answer::none,
                                 true,
                                 false,
                                 true},
                                "solver=iterative");
    }
    template <class V>
    void options(V& v) {
        const option_needs iterative{{"solver", {"iterative"}}};
        v.whole("n_components", n_components, 0, "how many; 0: all above rounding");
        v.choice("solver", solver, {"automatic", "full", "iterative"}, "of the eigenproblem");
        v.number("tol", tol, above(0), "iterative: ‖Au - λu‖ <= tol·λ₁", iterative);
        v.whole("max_iter", max_iter, 1, "iterative: passes over K at most", iterative);
        v.whole("seed", seed, 0, "iterative: of the starting block", iterative);
    }
};

enum class eigen_solver { automatic, full, iterative };

struct kernel_pca_options {
    index n_components = 0;  // 0: all with λ above rounding
    eigen_solver solver = eigen_solver::automatic;
    double tol = 1e-11;                   // iterative: ‖Au - λu‖ <= tol·λ₁; 1e-7 where K is in float
    index max_iter = 200;                 // iterative: passes over K
    std::uint64_t seed = 0;               // of the starting block
    std::vector<double> sample_weight{};  // empty: all 1. 2 = the object twice
    std::size_t memory_bytes = std::size_t{2} << 30;
    bool exact = false;  // kernel values in double also where K does not fit the budget
    progress_callback progress{};
    fit_checkpoint checkpoint{};  // iterative: of the passes
};

struct kernel_pca_model {
    kernel_expansion projection;      // function j is the score on component j
    std::vector<double> eigenvalues;  // λ, descending, all positive
    std::vector<double> explained_variance;
    std::vector<double> explained_variance_ratio;  // NaN where negative_share > 0
    double negative_share =
        0;  // -λ_min/λ₁ as far as it was met, 0 where it is no more than rounding; not kept in files
    double total_variance = 0;      // trace/(W-1)
    std::vector<double> residuals;  // iterative: ‖Au - λu‖ of each pair; empty after LAPACK
    fit_status status = fit_status::converged;
    index passes = 0;             // over K
    matrix<double> scores;        // of the training objects
    std::vector<double> outside;  // of each, the squared distance to its projection
    std::vector<double> mean;     // w/W
    double weight = 0;            // W

    index components() const { return projection.functions(); }
};

kernel_pca_model fit_kernel_pca(const kernel& k, const dataset& x, const kernel_pca_options& options);
kernel_pca_model fit_kernel_pca(const gram<double>& K, const kernel_pca_options& options);

// Scores of new objects, one column a component.
matrix<double> transform(const kernel_pca_model& model, const dataset& z);
matrix<double> transform(const kernel_pca_model& model, const gram<double>& K);
// The first components only.
kernel_pca_model first_components(const kernel_pca_model& model, index count);

// How many components to keep.
// The fewest that hold this share of the variance, 0 < share <= 1; all there are when they do not reach it.
index components_for_share(const kernel_pca_model& model, double share);
// Those above the mean eigenvalue over the n-1 directions there can be (Kaiser).
index components_above_mean(const kernel_pca_model& model);
// The leading ones whose share is above that of a stick broken at random into n-1 parts (Frontier 1976).
index components_above_broken_stick(const kernel_pca_model& model);

// Eigenpairs of A = D H K Hᵀ D, a kernel matrix centred with weights w: D = diag(√w), H = I - 1wᵀ/W, W = Σw. Kernel PCA
// rests on it.

// What A is made with beside K. The last two come with the first product with K.
struct centring {
    std::vector<double> root;    // √w
    std::vector<double> mean;    // w/W
    std::vector<double> k_mean;  // K w/W
    double total = 0;            // wᵀKw/W²
};

centring centred_by(const std::vector<double>& weight);

// How K is multiplied by.
struct gram_multiplication {
    block_operator product;
    index block = 8;   // columns at once
    double least = 0;  // the least tolerance the numbers of K allow
};

// By rows of K as they come. Where kernel values must be computed a pass is dear, and a wide block makes the most of
// it.
template <class T>
gram_multiplication by_rows(const gram<T>& K, index components);

// What a decomposition of A gives, falling; row j of vectors is uⱼ.
struct centred_pairs {
    std::vector<double> values;
    matrix<double> vectors;
    std::vector<double> residuals;
    fit_status status = fit_status::converged;
    index passes = 0;
    double lowest = 0;  // the smallest eigenvalue, or an upper bound on it
};

// All of A decomposed.
template <class T>
centred_pairs all_centred_pairs(const gram<T>& K, const gram_multiplication& by, centring& c);

struct centred_eigen_options {
    index count = 1;
    double tol = 1e-11;
    index most_passes = 200;
    std::uint64_t seed = 0;
    std::function<bool(index pass, double residual)> progress{};  // false stops
};

// The `count` largest pairs by products with K, block Lanczos.
centred_pairs largest_centred_pairs(const gram_multiplication& K, centring& c, const centred_eigen_options& o);

namespace api {
struct method;
method kernel_pca_method();
}  // namespace api

}  // namespace mercer
