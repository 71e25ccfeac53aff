// Kernel ridge regression, with any kernel on any kind of object, for one or several targets:
//
//     min Σ wᵢ(yᵢ - f(xᵢ))² + λ‖f‖²     →     f(x) = Σ αᵢk(xᵢ, x),   (K + λW⁻¹)α = y
//
// by a Cholesky decomposition of half a matrix, which is filled by the Gram engine and factored where it lies; of a
// large one in float, and solved to the accuracy of double all the same (dense/cholesky.h). A weight of
// 2 is the example twice, 0 is its absence. With A = K + λW⁻¹, in closed form (Rasmussen, Williams 2006, eq. 5.12
// and 2.26):
//     left out, example i is missed by   yᵢ - f₋ᵢ(xᵢ) = αᵢ/(A⁻¹)ᵢᵢ       (all copies of it left out, where its weight
//     says there are several) as a Gaussian process with noise λ/wᵢ, f(x) has variance   k(x, x) - k_xᵀA⁻¹k_x
//
// Where n² numbers are too many, conjugate gradients to a stated residual instead (solvers/newton/conjugate_gradients.h), which
// multiply by K and store none of it: memory n·(rank + a few), time n² a step.
//
// A path over many λ comes from one decomposition of W^½KW^½. For the generalised cross-validation score
//     GCV(λ) = N·RSS/(N - df)²,   N = Σwᵢ, RSS = Σwᵢ(yᵢ - f(xᵢ))², df = tr K(K + λW⁻¹)⁻¹
// a band matrix is enough (dense/band_reduction.h); leave-one-out needs diag A⁻¹ for every λ, and so the
// vectors it belongs to as well.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/memory.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

namespace detail {
inline constexpr const char* lambda = "λ, the price of large coefficients";
inline constexpr const char* several_lambdas = "several λ: the best by `score` is kept";
}  // namespace detail

struct kernel_ridge {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double alpha = 1;
    std::vector<double> alphas{}, output_alphas{};
    std::string score = "gcv";
    bool loo = false, variance = false;
    std::string solver = "automatic";
    double tol = 1e-10;
    index max_products = 1000;

    static method_facts facts() {
        return with_checkpoints({"kernel_ridge",
                                 {"krr"},
                                 method_family::regression,
                                 "kernel ridge regression",
                                 "min Σ(yᵢ - f(xᵢ))² + λ‖f‖²",
                                 "mercer-kernel-ridge-model",
                                 answer::values,
                                 true,
                                 true,
                                 false,
                                 false,
                                 many_at_once::ridges},
                                "solver=cg");
    }
    template <class V>
    void options(V& v) {
        const option_needs one_lambda{{"alphas", {""}}};
        v.number("alpha", alpha, at_least(0), detail::lambda, option_needs{{"alphas", {""}}, {"output_alphas", {""}}});
        v.numbers("alphas", alphas, at_least(0), detail::several_lambdas);
        v.numbers("output_alphas", output_alphas, at_least(0), "one λ for each column of targets", one_lambda);
        v.choice("score", score, {"gcv", "loo"}, "how λ is chosen: generalised cross-validation or leave-one-out",
                 option_needs{{"alphas"}});
        const option_needs decomposed{{"solver", {"automatic", "direct"}}};
        v.flag("loo", loo, "leave-one-out error as well", decomposed);
        v.flag("variance", variance, "keep what variances of predictions need", decomposed);
        v.choice("solver", solver, {"automatic", "direct", "cg"},
                 "a decomposition, or conjugate gradients without n² numbers in memory; automatic: what fits",
                 one_lambda);
        const option_needs iterated{{"solver", {"cg", "automatic"}}, {"alphas", {""}}};
        v.number("tol", tol, above(0), "cg: ‖y - (K + λI)α‖ <= tol·‖y‖", iterated);
        v.whole("max_products", max_products, 1, "cg: products with K at most", iterated);
    }
};

// automatic: conjugate gradients where the matrix does not fit the memory, else a decomposition.
enum class ridge_solver { automatic, direct, cg };

struct kernel_ridge_options {
    double alpha = 1;                     // λ, 0 <= λ < infinity
    std::vector<double> output_alphas{};  // λ of each output instead; variance then needs them to be equal
    std::vector<double> sample_weight{};  // empty: all 1
    bool loo = false;                     // leave-one-out residuals as well: twice the work of the fit
    bool variance = false;                // keep what predict_variance needs: n² numbers
    ridge_solver solver = ridge_solver::automatic;
    double tol = 1e-10;                       // cg: ‖y - (K + λW⁻¹)α‖ <= tol·‖y‖
    index max_products = 1000;                // cg: products with K
    fit_checkpoint checkpoint{};              // cg
    index rank = 0;                           // cg: of the preconditioner; 0: what suits n and the memory
    std::size_t memory_bytes = gibibytes(4);  // checked before anything is allocated
    progress_callback progress{};             // false ends the fit with errc::cancelled: half a factor predicts nothing
};

struct kernel_ridge_model {
    kernel_expansion f;
    double alpha = 1;                     // of the first output where each has its own
    std::vector<double> output_alphas{};  // of each output, where they were given; else all have `alpha`
    matrix<double>
        loo;  // yᵢ - f₋ᵢ(xᵢ), one row per training example; of examples with weight 0, whom no fit has seen, yᵢ - f(xᵢ)
    matrix<double> factor;  // R with RᵀR = K + λW⁻¹, upper half; empty unless asked for
    index refinements = 0;  // products with K + λW⁻¹, of cg or after a factor in float; 0: a factor in double
    fit_status status = fit_status::converged;  // converged: every output is
    double residual = 0;                        // cg: the largest of the residuals; else 0
    // cg: ‖y - (K + λW⁻¹)α‖/‖y‖ of each output, measured, and the tol that an output must not exceed to count as
    // converged. Empty after a decomposition, and in models of earlier versions that have several outputs.
    std::vector<double> residuals{};
    double tol = 0;
    double seconds_gram = 0, seconds_solve = 0;

    fit_status output_status(index output) const {
        return !residuals.empty() && residuals[static_cast<std::size_t>(output)] <= tol ? fit_status::converged
                                                                                        : status;
    }
};

// y has one row per example and one column per output. A kernel matrix that is not positive definite enough for λ is an
// error that names the row.
kernel_ridge_model fit_kernel_ridge(const kernel& k, const dataset& x, matrix_view<const double> y,
                                    const kernel_ridge_options& options = {});
kernel_ridge_model fit_kernel_ridge_precomputed(matrix_view<const double> K, matrix_view<const double> y,
                                                const kernel_ridge_options& options = {});
// The solution by conjugate gradients, of the examples `used`; K stands for them alone.
kernel_ridge_model solve_kernel_ridge_by_cg(const gram<double>& K, matrix_view<const double> y,
                                            const std::vector<double>& weight, std::vector<index> used,
                                            const kernel_ridge_options& options);
bool kernel_ridge_by_cg(index n, index outputs, const kernel_ridge_options& options);
// Bytes that the fit of n examples and m outputs needs beside the data, at most.
double kernel_ridge_memory(index n, index outputs, const kernel_ridge_options& options);

matrix<double> predict(const kernel_ridge_model& model, const dataset& x);
matrix<double> predict_precomputed(const kernel_ridge_model& model, matrix_view<const double> K);
// The variance of f(x), or with `noise` of a new observation of weight 1. Never below 0.
std::vector<double> predict_variance(const kernel_ridge_model& model, const dataset& x, bool noise = false);
// `self` holds k(x, x).
std::vector<double> predict_variance_precomputed(const kernel_ridge_model& model, matrix_view<const double> K,
                                                 std::span<const double> self, bool noise = false);

namespace api {
struct method;
method kernel_ridge_method();
}  // namespace api

}  // namespace mercer
