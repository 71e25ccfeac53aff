// Ridge regression on vectors, dense or sparse, for one or several targets:
//
//     min Σ wᵢ(yᵢ - βᵀxᵢ - b)² + λ‖β‖²
//
// The offset is not penalised: it is what is left when x and y are measured from their weighted means. With X̃, ỹ so
// centred and the rows multiplied by √w (Saunders, Gammerman, Vovk 1998 for the dual):
//     primal  β = (X̃ᵀX̃ + λI)⁻¹X̃ᵀỹ        cost d²(n + d)
//     dual    β = X̃ᵀ(X̃X̃ᵀ + λI)⁻¹ỹ        cost n²(n + d)
// Both give the same β; the cheaper one is taken unless one is asked for. Sparse rows stay sparse: the means enter as
// corrections of rank one, which costs digits only where a mean is much larger than the spread around it. Dense rows
// are centred before they are multiplied. A path over many λ comes from one eigendecomposition of the same matrix, with
// for every λ
//     H = X̃(X̃ᵀX̃ + λI)⁻¹X̃ᵀ, hᵢ = Hᵢᵢ + wᵢ/Σw with an offset,   left out, example i is missed by (yᵢ - f(xᵢ))/(1 - hᵢ),
//     GCV = N·RSS/(N - df)², N = Σw, df = Σhᵢ.
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

struct ridge {
    std::string scale{};
    double alpha = 1;
    std::vector<double> alphas{};
    std::string score = "loo";
    bool fit_intercept = true;
    std::string form = "cheaper";

    static method_facts facts() {
        return {"ridge",
                {},
                method_family::regression,
                "ridge regression on vectors",
                "min Σ(yᵢ - βᵀxᵢ - b)² + λ‖β‖²",
                "mercer-ridge-model",
                answer::values,
                false};
    }
    template <class V>
    void options(V& v) {
        v.number("alpha", alpha, at_least(0), detail::lambda, option_needs{{"alphas", {""}}});
        v.numbers("alphas", alphas, above(0), detail::several_lambdas);
        v.choice("score", score, {"loo", "gcv"}, "how λ is chosen: leave-one-out or generalised cross-validation",
                 option_needs{{"alphas"}});
        v.flag("fit_intercept", fit_intercept, "with an offset b");
        v.choice("form", form, {"cheaper", "primal", "dual"}, "which equations are solved");
    }
};

enum class ridge_form { cheaper, primal, dual };

struct ridge_options {
    double alpha = 1;  // λ, 0 <= λ < infinity
    bool fit_intercept = true;
    ridge_form form = ridge_form::cheaper;
    std::vector<double> sample_weight;  // empty: all 1. 2 = the example twice, 0 = absent
    std::size_t memory_bytes = gibibytes(4);
};

struct ridge_model {
    matrix<double> coef;            // coordinates × outputs
    std::vector<double> intercept;  // of each output
    double alpha = 1;
    ridge_form form = ridge_form::primal;  // which was used

    index dims() const { return coef.rows(); }
    index outputs() const { return coef.cols(); }
};

ridge_model fit_ridge(const dataset& x, matrix_view<const double> y, const ridge_options& options = {});
matrix<double> predict(const ridge_model& model, const dataset& x);

struct ridge_path {
    std::vector<double> alphas;
    std::vector<double> gcv;  // the mean over the outputs; infinity where df >= N
    std::vector<double> loo;  // Σwᵢ(yᵢ - f₋ᵢ(xᵢ))²/Σwᵢ, the mean over the outputs; infinity where some hᵢ = 1
    std::vector<double> df;           // with the offset counted
    std::vector<ridge_model> models;  // of each λ
    index best = 0;                   // where the score asked for is smallest
};
// `options.alpha` is not used.
ridge_path fit_ridge_path(const dataset& x, matrix_view<const double> y, std::vector<double> alphas,
                          ridge_score score = ridge_score::loo, const ridge_options& options = {});

namespace api {
struct method;
method ridge_method();
}  // namespace api

}  // namespace mercer
