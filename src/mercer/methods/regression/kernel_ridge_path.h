// Kernel ridge regression of the examples H held out from the training examples T of a fold, for many λ: the inner loop
// of a search over λ and the kernel's parameters.
//
//     f_H = K_HT (K_TT + λI)⁻¹ y_T
//
// For many λ K_TT is reduced to a band once (dense/band_reduction.h), 4/3 n³ operations; a few are a Cholesky
// decomposition each, n³/3 and quicker ones.
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

enum class ridge_score { gcv, loo };

struct ridge_path_options {
    std::vector<double> alphas;  // at least one, each 0 <= λ < infinity
    ridge_score score = ridge_score::gcv;
    std::vector<double> sample_weight;
    std::size_t memory_bytes = gibibytes(4);
    progress_callback progress{};
};

struct kernel_ridge_path {
    std::vector<double> alphas;
    std::vector<double> gcv;           // of each λ, the mean over the outputs; infinity where df >= N
    std::vector<double> loo;           // Σwᵢ(yᵢ - f₋ᵢ(xᵢ))²/Σwᵢ; empty unless asked for
    std::vector<double> df;            // degrees of freedom
    std::vector<matrix<double>> coef;  // α of each λ, a row for each example of positive weight
    index best = 0;                    // where the score asked for is smallest
    kernel_ridge_model model;          // of the best λ
};

kernel_ridge_path fit_kernel_ridge_path(const kernel& k, const dataset& x, matrix_view<const double> y,
                                        const ridge_path_options& options);
kernel_ridge_path fit_kernel_ridge_path_precomputed(matrix_view<const double> K, matrix_view<const double> y,
                                                    const ridge_path_options& options);

// A list for each λ; empty where K_TT + λI is not positive definite.
std::vector<std::vector<double>> predict_along_penalties(const gram<double>& K, std::span<const double> y,
                                                         const std::vector<index>& training,
                                                         const std::vector<index>& held_out,
                                                         std::span<const double> lambdas);

namespace api {

// What was found for every λ, and the coefficients there, where several were tried.
struct tried_path {
    figures found{};
    std::vector<matrix<double>> coef{};
};

template <class Path>
tried_path told(Path& path, const std::string& chosen_by) {
    tried_path out{{{"chosen_by", chosen_by}, {"path_alpha", path.alphas}, {"path_gcv", path.gcv}}};
    if (!path.loo.empty()) out.found.add("path_loo", path.loo);
    out.found.add("path_df", path.df);
    if constexpr (requires { path.coef; }) out.coef = std::move(path.coef);
    return out;
}

template <class Model>
class path_fitted : public fitted_as<Model> {
public:
    explicit path_fitted(Model m, tried_path path = {}) : fitted_as<Model>(std::move(m)), path_(std::move(path)) {}
    answer gives() const override { return answer::values; }
    std::vector<double> predict(const examples& x) const override { return first_column(this->decide(x)); }
    part_value part(std::string_view name) const override {
        if (name == "path_coef") return path_.coef;
        return fitted_as<Model>::part(name);
    }

protected:
    tried_path path_;
};

}  // namespace api

}  // namespace mercer
