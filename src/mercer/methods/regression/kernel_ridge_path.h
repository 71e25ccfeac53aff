// Kernel ridge regression for many values of λ on one kernel matrix: the path over λ with its scores, and the
// predictions for held-out examples in a search over λ and the parameters of the kernel.
//
// One decomposition of W^½KW^½ serves all λ. The generalised cross-validation score
//     GCV(λ) = N·RSS/(N - df)²,   N = Σwᵢ, RSS = Σwᵢ(yᵢ - f(xᵢ))², df = tr K(K + λW⁻¹)⁻¹
// needs only a reduction to band form (dense/band_reduction.h, 4/3 n³ operations). The leave-one-out residuals yᵢ -
// f₋ᵢ(xᵢ), f₋ᵢ the function fitted without example i, also need the diagonal of (K + λW⁻¹)⁻¹ for every λ, and therefore
// the orthogonal matrix of the reduction. W = diag(w), w the weights of the n examples.
//
// Example:
//
//     const table housing = read("data/housing.svm");
//     const dataset x = scaling::fit(housing.x, {.method = scaling_method::minmax}).apply(housing.x);
//     const kernel_ridge_path path =
//         fit_kernel_ridge_path(gaussian{0.1}, x, {housing.y.data(), 506, 1}, {.alphas = {0.01, 0.1, 1, 10}});
//     assert(path.model.alpha == path.alphas[static_cast<std::size_t>(path.best)]);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/memory.h"
#include "mercer/gram/gram.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method.h"
#include "mercer/methods/regression/kernel_ridge.h"

namespace mercer {

// The score by which the best λ is chosen: generalised cross-validation or the leave-one-out error.
enum class ridge_score { gcv, loo };

// Options of fit_kernel_ridge_path().
struct ridge_path_options {
    std::vector<double> alphas;  // at least one value, each 0 <= λ < infinity
    ridge_score score = ridge_score::gcv;
    std::vector<double> sample_weight;  // empty: all 1
    std::size_t memory_bytes = gibibytes(4);
    progress_callback progress{};
};

// The result of fit_kernel_ridge_path().
struct kernel_ridge_path {
    std::vector<double> alphas;
    std::vector<double> gcv;  // GCV of each λ, mean over the outputs; infinity if df >= N
    std::vector<double> loo;  // Σwᵢ(yᵢ - f₋ᵢ(xᵢ))²/Σwᵢ of each λ, mean over the outputs; empty unless it was computed
    std::vector<double> df;            // degrees of freedom of each λ
    std::vector<matrix<double>> coef;  // α of each λ, one row per example of positive weight
    index best = 0;                    // position of the λ with the smallest score
    kernel_ridge_model model;          // the model of the best λ
};

// Fits for every λ in options.alphas. y has one row per example and one column per output; the errors are those of
// fit_kernel_ridge().
kernel_ridge_path fit_kernel_ridge_path(const kernel& k, const dataset& x, matrix_view<const double> y,
                                        const ridge_path_options& options);
kernel_ridge_path fit_kernel_ridge_path_precomputed(matrix_view<const double> K, matrix_view<const double> y,
                                                    const ridge_path_options& options);

// Predicts the held-out examples H of a fold from its training examples T for many λ: f_H = K_HT (K_TT + λI)⁻¹ y_T.
// More than four λ on a large fold share one reduction of K_TT to band form; otherwise each λ has its own Cholesky
// decomposition, n³/3 operations. Returns one list of predictions per λ, which is empty if K_TT + λI is not positive
// definite.
std::vector<std::vector<double>> predict_along_penalties(const gram<double>& K, std::span<const double> y,
                                                         const std::vector<index>& training,
                                                         const std::vector<index>& held_out,
                                                         std::span<const double> lambdas);

namespace api {

// The scores of all λ as figures of a report, and the coefficients of all λ, if the fit tried several.
struct path_summary {
    summary found{};
    std::vector<matrix<double>> coef{};
};

template <class Path>
path_summary summarise_path(Path& path, const std::string& chosen_by) {
    path_summary out{{{"chosen_by", chosen_by}, {"path_alpha", path.alphas}, {"path_gcv", path.gcv}}};
    if (!path.loo.empty()) out.found.add("path_loo", path.loo);
    out.found.add("path_df", path.df);
    if constexpr (requires { path.coef; }) out.coef = std::move(path.coef);
    return out;
}

template <class Model>
class path_estimator : public estimator_of<Model> {
public:
    explicit path_estimator(Model m, path_summary path = {})
        : estimator_of<Model>(std::move(m)), path_(std::move(path)) {}
    target_kind prediction_kind() const override { return target_kind::values; }
    std::vector<double> predict(const examples& x) const override { return first_column(this->decide(x)); }
    part_value part(std::string_view name) const override {
        if (name == "path_coef") return path_.coef;
        return estimator_of<Model>::part(name);
    }

protected:
    path_summary path_;
};

}  // namespace api

}  // namespace mercer
