// Ridge regression on dense or sparse vectors, for one or several targets:
//
//     min Σ wᵢ(yᵢ - βᵀxᵢ - b)² + λ‖β‖²
//
// The offset b is not penalised. It is eliminated by centring x and y at their weighted means. Let X̃ and ỹ be the
// centred data with each row multiplied by √wᵢ. Then (the dual form is due to Saunders, Gammerman, Vovk 1998)
//     primal  β = (X̃ᵀX̃ + λI)⁻¹X̃ᵀỹ        cost d²(n + d)
//     dual    β = X̃ᵀ(X̃X̃ᵀ + λI)⁻¹ỹ        cost n²(n + d)
// Both forms give the same β; the cheaper form is used unless the options name one. Sparse rows stay sparse: the means
// enter as rank-one corrections, which lose digits only where a mean is much larger than the spread around it. Dense
// rows are centred before they are multiplied. A path over many λ is computed from one eigendecomposition of the same
// matrix, which gives for every λ
//     H = X̃(X̃ᵀX̃ + λI)⁻¹X̃ᵀ and the leverages hᵢ = Hᵢᵢ (with an offset hᵢ = Hᵢᵢ + wᵢ/Σw),
//     the leave-one-out residual of example i, yᵢ - f₋ᵢ(xᵢ) = (yᵢ - f(xᵢ))/(1 - hᵢ), f₋ᵢ fitted without example i,
//     GCV = N·RSS/(N - df)² with N = Σw and df = Σhᵢ.
//
// Example:
//
//     const double numbers[] = {0, 1, 2, 3}, targets[] = {1, 3, 5, 7};  // y = 2x + 1
//     const ridge_model m = fit_ridge(dense<double>({numbers, 4, 1}), {targets, 4, 1}, {.alpha = 1e-9});
//     assert(std::abs(m.coef(0, 0) - 2) < 1e-6 && std::abs(m.intercept[0] - 1) < 1e-6);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/memory.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"
#include "mercer/methods/regression/kernel_ridge_path.h"

namespace mercer {

// The method ridge as a value for fit() of mercer.h: its scaling and its options.
struct ridge {
    std::string scale{};
    double alpha = 1;
    std::vector<double> alphas{};
    std::string score = "loo";
    bool fit_intercept = true;
    std::string form = "auto";

    static method_info info() {
        return {"ridge",
                {},
                method_family::regression,
                "linear ridge regression",
                "min Σ(yᵢ - βᵀxᵢ - b)² + α‖β‖²",
                "mercer-ridge-model",
                target_kind::values,
                false};
    }
    template <class V>
    void options(V& v) {
        v.number("alpha", alpha, at_least(0), option_text::penalty, option_requirements{{"alphas", {""}}});
        v.numbers("alphas", alphas, above(0), option_text::candidate_penalties);
        v.choice("score", score, {"loo", "gcv"}, option_text::penalty_score, option_requirements{{"alphas"}});
        v.flag("fit_intercept", fit_intercept, option_text::intercept);
        v.choice("form", form, {"auto", "primal", "dual"}, "system of equations that is solved");
        v.former_name("form", {{"cheaper", "auto"}});
        v.choice_meanings({{"auto", "the system that takes less work"},
                           {"primal", "one equation per feature"},
                           {"dual", "one equation per example"}});
    }
};

// The system of equations that is solved (above). automatic: the form that takes less work.
enum class ridge_form { automatic, primal, dual };

// Options of fit_ridge().
struct ridge_options {
    double alpha = 1;  // λ, 0 <= λ < infinity
    bool fit_intercept = true;
    ridge_form form = ridge_form::automatic;
    // One weight per example: weight 2 counts an example twice, weight 0 leaves it out. Empty: all weights are 1.
    std::vector<double> sample_weight;
    std::size_t memory_bytes = gibibytes(4);
};

// The result of fit_ridge(): β and b for each target (output).
struct ridge_model {
    matrix<double> coef;            // coordinates × outputs
    std::vector<double> intercept;  // one per output
    double alpha = 1;
    ridge_form form = ridge_form::primal;  // the form that was used

    index dims() const { return coef.rows(); }
    index outputs() const { return coef.cols(); }
};

// Fits to the vectors x. y has one row per example and one column per output (target). Throws errc::unsupported for
// objects that are not vectors, errc::invalid_argument if an option is out of range or sizes differ, and errc::data if
// a value is not finite.
ridge_model fit_ridge(const dataset& x, matrix_view<const double> y, const ridge_options& options = {});
// Returns the predicted values: a row for each vector, a column for each output.
matrix<double> predict(const ridge_model& model, const dataset& x);

// The result of fit_ridge_path().
struct ridge_path {
    std::vector<double> alphas;
    std::vector<double> gcv;  // GCV of each λ, mean over the outputs; infinity if df >= N
    std::vector<double> loo;  // Σwᵢ(yᵢ - f₋ᵢ(xᵢ))²/Σwᵢ for each λ, mean over the outputs; infinity if some hᵢ = 1
    std::vector<double> df;           // degrees of freedom of each λ, including the offset
    std::vector<ridge_model> models;  // one per λ
    index best = 0;                   // position of the λ with the smallest score
};
// Fits ridge regression for every λ in `alphas`; options.alpha is ignored. `score` decides which λ is the best one. The
// errors are those of fit_ridge(). Cost: one eigendecomposition of size min(n, d) or of the form given in the options,
// and one pass over the examples per λ.
ridge_path fit_ridge_path(const dataset& x, matrix_view<const double> y, std::vector<double> alphas,
                          ridge_score score = ridge_score::loo, const ridge_options& options = {});

namespace api {
struct method;
// The entry of ridge in the list of methods.
method ridge_method();
}  // namespace api

}  // namespace mercer
