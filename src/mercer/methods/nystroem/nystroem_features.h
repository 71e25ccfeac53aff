// Methods that compute Nyström features of M centres Z.
//
// nystroem: the feature map φ(x) = K_MM^-½ k(Z, x). ⟨φ(x), φ(x')⟩ = k(x, Z) K_MM⁻¹ k(Z, x') approximates k(x, x') and
// equals it on the centres.
//
// nystroem_pca: principal components of these features over all examples, which is kernel PCA in the span of the
// centres, and kernel PCA itself if every example is a centre. The eigenvectors of Φ̃ᵀΦ̃ (Φ̃ is Φ minus its mean) are
// computed by block Lanczos, with one pass over K per product.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const nystroem_features_model m = fit_nystroem_features(make_rows(gaussian{0.1}, iris.x), {.n_centres = 20});
//     const matrix<double> phi = m.map.values(iris.x);  // a row for each example, a column for each feature
//     assert(phi.rows() == 150 && phi.cols() <= 20 && m.unexplained < 0.1);
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"
#include "mercer/methods/nystroem/nystroem_basis.h"
#include "mercer/methods/nystroem/nystroem_problem.h"

namespace mercer {

// The method nystroem as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nystroem {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_centres = 100;
    std::string centres = "rpcholesky";
    std::vector<double> centre_rows{};
    index seed = 0;

    static method_info info() {
        return {"nystroem",
                {"nystroem_features"},
                method_family::components,
                "Nyström features: vectors whose inner products approximate the kernel",
                "φ(x) = K(Z, Z)^-½ k(Z, x)",
                "mercer-nystroem-features-model",
                target_kind::none,
                true,
                false,
                true};
    }
    template <class V>
    void options(V& v) {
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::feature_centre_choices());
    }
};

// The result of fit_nystroem_features(): the feature map φ as functions of the centres.
struct nystroem_features_model {
    kernel_expansion map;  // function j is feature j
    // Fraction of the trace of K(X, X) that the centres do not explain, estimated on a sample of rows.
    double unexplained = 0;
};
// Chooses the centres and computes the feature map. `x` is made by make_rows() from a kernel and objects, or from a
// kernel matrix; `x` is used only during the fit. Throws errc::invalid_argument if an option is out of range,
// errc::data if there are no examples, and errc::memory if the fit does not fit into memory_bytes.
nystroem_features_model fit_nystroem_features(const training_rows& x, const nystroem_options& options);

// The method nystroem_pca as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nystroem_pca {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_components = 2;
    index n_centres = 1000;
    std::string centres = "rpcholesky";
    std::vector<double> centre_rows{};
    double tol = 1e-9;
    index max_iter = 200, seed = 0;

    static method_info info() {
        return with_checkpoints({"nystroem_pca",
                                 {},
                                 method_family::components,
                                 "kernel principal components by the Nyström method, for millions of examples",
                                 "Φ̃ᵀΦ̃u = λu, Φ = K(X, Z) K(Z, Z)^-½",
                                 "mercer-nystroem-pca-model",
                                 target_kind::none,
                                 true,
                                 false,
                                 true});
    }
    template <class V>
    void options(V& v) {
        v.integer("n_components", n_components, 1, "number of components");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::feature_centre_choices());
        v.number("tol", tol, above(0), option_text::eigen_residual);
        v.integer("max_iter", max_iter, 1, option_text::max_passes);
    }
};

// The result of fit_nystroem_pca(): the components as functions of the centres, and their variances.
struct nystroem_pca_model {
    kernel_expansion projection;  // function j is the score on component j
    std::vector<double> eigenvalues, explained_variance, explained_variance_ratio, residuals;
    double total_variance = 0;  // total variance of all examples, estimated from a sample of rows if there are many
    double unexplained = 0;
    fit_status status = fit_status::converged;
    index passes = 0;
};
// Computes the `components` leading components; x and the errors are those of fit_nystroem_features(). The iteration
// ends when ‖Au - λu‖ <= tol·λ₁ for these components, A = Φ̃ᵀΦ̃ as above, or after max_iter passes over K.
nystroem_pca_model fit_nystroem_pca(const training_rows& x, index components, const nystroem_options& options);

// Passes over the Nyström features Φ = K T⁻¹ of all rows (nystroem_basis.h), which are not stored, for products with Φ
// and Φᵀ such as eigenvectors and means. Internal to the library, like transpose() and move_centres().

matrix<double> transpose(matrix_view<const double> a);
// Sets the kernel, the centres and their row numbers of f from a fit; moves them out of `posed`.
void move_centres(kernel_expansion& f, nystroem_problem& posed, const training_rows& x);

class feature_passes {
public:
    // Uses float if that is faster (training_rows::float_passes); otherwise uses double and stores up to `budget` bytes
    // of K.
    feature_passes(const training_rows& x, const nystroem_problem& posed, const nystroem_basis& basis,
                   std::size_t budget);
    bool uses_float() const { return float_rows_.pointer != nullptr; }
    // Returns Φᵀ step(Φ v); v and the result have M rows and any number of columns. Without v it returns Φᵀ step(0).
    matrix<double> operator()(matrix_view<const double> v, index cols, const row_function& step,
                              std::span<double> totals = {}) const;
    // Computes step(Φ v) only.
    void forward(matrix_view<const double> v, const row_function& step, std::span<double> totals = {}) const;

private:
    matrix<double> coefficients(matrix_view<const double> v) const;
    void run_pass(matrix_view<const double> beta, const row_function& step, matrix_view<double> out,
                  std::span<double> totals) const;

    const nystroem_basis& basis_;
    owned<gram_batches<float>> float_rows_;
    owned<gram_batches<double>> double_rows_;
};

namespace api {
struct method;
// Entries of the list of methods.
method nystroem_method();
method nystroem_pca_method();
}  // namespace api

}  // namespace mercer
