// Kernel ridge regression, with any kernel on any kind of object, for one or several targets:
//
//     min Σ wᵢ(yᵢ - f(xᵢ))² + λ‖f‖²     →     f(x) = Σ αᵢk(xᵢ, x),   (K + λW⁻¹)α = y
//
// The equations are solved by a Cholesky decomposition. Half of the matrix is filled from the kernel and factored in
// place; a large matrix is factored in float and the solution refined to double accuracy (dense/cholesky.h). A weight
// of 2 has the same effect as the example twice, a weight of 0 as its absence. Here W = diag(w), w the weights of the
// examples. With A = K + λW⁻¹, f₋ᵢ the function fitted without example i, and k_x the vector of all k(x, xᵢ)
// (Rasmussen, Williams 2006, equations 5.12 and 2.26)
//     the leave-one-out residual of example i is            yᵢ - f₋ᵢ(xᵢ) = αᵢ/(A⁻¹)ᵢᵢ,
//     the variance of f(x) as a Gaussian process with
//     noise variance λ/wᵢ is                                k(x, x) - k_xᵀA⁻¹k_x.
// Leave-one-out removes an example with its whole weight, that is with all copies if the weight counts copies.
//
// If n² numbers do not fit into memory_bytes, conjugate gradients solve the equations to a given residual
// (solvers/newton/conjugate_gradients.h). They multiply by K without storing K: memory n·(rank + a few), time n² per
// step. Many values of λ: kernel_ridge_path.h.
//
// Example:
//
//     const double numbers[] = {0, 1, 2, 3, 4}, targets[] = {0, 1, 4, 9, 16};
//     const dataset x = dense<double>({numbers, 5, 1});
//     const kernel_ridge_model m = fit_kernel_ridge(gaussian{0.5}, x, {targets, 5, 1}, {.alpha = 0.001, .loo = true});
//     assert(std::abs(predict(m, x)(2, 0) - 4) < 0.1);  // predictions: 5 × 1
//     assert(m.loo.rows() == 5);                        // leave-one-out residuals
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

// The method kernel_ridge as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct kernel_ridge {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double alpha = 1;
    std::vector<double> alphas{}, output_alphas{};
    std::string score = "gcv";
    bool loo = false, variance = false;
    std::string solver = "auto";
    double tol = 1e-10;
    index max_iter = 1000;

    static method_info info() {
        return with_checkpoints({"kernel_ridge",
                                 {"krr"},
                                 method_family::regression,
                                 "kernel ridge regression",
                                 "min Σ(yᵢ - f(xᵢ))² + α‖f‖²",
                                 "mercer-kernel-ridge-model",
                                 target_kind::values,
                                 true,
                                 true,
                                 false,
                                 false,
                                 path_over::lambda},
                                "solver=cg");
    }
    template <class V>
    void options(V& v) {
        const option_requirements one_lambda{{"alphas", {""}}};
        v.number("alpha", alpha, at_least(0), option_text::penalty,
                 option_requirements{{"alphas", {""}}, {"output_alphas", {""}}});
        v.numbers("alphas", alphas, at_least(0), option_text::candidate_penalties);
        v.numbers("output_alphas", output_alphas, at_least(0), "one penalty α for each column of targets", one_lambda);
        v.choice("score", score, {"gcv", "loo"}, option_text::penalty_score, option_requirements{{"alphas"}});
        const option_requirements decomposed{{"solver", {"auto", "direct"}}};
        v.flag("loo", loo, "also compute the leave-one-out errors", decomposed);
        v.flag("variance", variance, "store the factor of K + αI that variances of predictions need", decomposed);
        v.choice("solver", solver, {"auto", "direct", "cg"}, "algorithm that solves the system of equations",
                 one_lambda);
        v.former_name("solver", {{"automatic", "auto"}});
        v.choice_meanings({{"auto", "direct if the kernel matrix fits the memory limit, otherwise cg"},
                           {"direct", "factorisation of the kernel matrix, n² numbers in memory"},
                           {"cg", "preconditioned conjugate gradients, without n² numbers in memory"}});
        const option_requirements iterated{{"solver", {"cg", "auto"}}, {"alphas", {""}}};
        v.number("tol", tol, above(0), "relative residual at which conjugate gradients stop", iterated);
        v.integer("max_iter", max_iter, 1, "maximum number of conjugate gradient steps, each a product with K",
                  iterated);
        v.former_name("max_products", {});
    }
};

// How the equations are solved. direct: a Cholesky decomposition. cg: conjugate gradients. automatic: cg if n² numbers
// do not fit into memory_bytes, otherwise direct.
enum class ridge_solver { automatic, direct, cg };

// Options of fit_kernel_ridge().
struct kernel_ridge_options {
    double alpha = 1;                     // λ, 0 <= λ < infinity
    std::vector<double> output_alphas{};  // λ of each output, instead of alpha; `variance` needs equal values
    std::vector<double> sample_weight{};  // weights; empty: all 1
    bool loo = false;                     // also compute leave-one-out residuals: doubles the work of the fit
    bool variance = false;                // store the Cholesky factor for predict_variance: n² numbers
    ridge_solver solver = ridge_solver::automatic;
    double tol = 1e-10;                       // cg: ‖y - (K + λW⁻¹)α‖ <= tol·‖y‖
    index max_iter = 1000;                    // cg: maximum number of products with K
    fit_checkpoint checkpoint{};              // cg only
    index rank = 0;                           // cg: rank of the preconditioner; 0: chosen from n and the memory budget
    std::size_t memory_bytes = gibibytes(4);  // compared with the estimated need before any allocation
    // returns false to end the fit with errc::cancelled: a partial factor predicts nothing
    progress_callback progress{};
};

// The result of fit_kernel_ridge(), in the symbols of the file comment.
struct kernel_ridge_model {
    kernel_expansion f;
    double alpha = 1;  // λ; of the first output if output_alphas is not empty
    // λ of each output if output_alphas was given; otherwise empty, and all outputs have λ = alpha
    std::vector<double> output_alphas{};
    // Leave-one-out residuals yᵢ - f₋ᵢ(xᵢ), one row per training example. An example with weight 0 has yᵢ - f(xᵢ).
    matrix<double> loo;
    matrix<double> factor;  // R with RᵀR = K + λW⁻¹, upper triangle; empty unless `variance` was set
    // Number of products with K + λW⁻¹, by conjugate gradients or by the refinement of a factor in float; 0 after a
    // factor in double.
    index refinements = 0;
    fit_status status = fit_status::converged;  // converged only if every output has converged
    double residual = 0;                        // cg: the largest entry of `residuals`; otherwise 0
    // cg: the measured ‖y - (K + λW⁻¹)α‖/‖y‖ of each output, and the tolerance that the residual of a converged output
    // does not exceed. `residuals` is empty after a decomposition, and in models with several outputs that earlier
    // versions wrote.
    std::vector<double> residuals{};
    double tol = 0;
    double seconds_gram = 0, seconds_solve = 0;

    fit_status output_status(index output) const {
        return !residuals.empty() && residuals[static_cast<std::size_t>(output)] <= tol ? fit_status::converged
                                                                                        : status;
    }
};

// Fits to the objects x with the kernel k, or to the n × n kernel matrix K of the examples. y has one row per example
// and one column per output (target). Time n³/3 by decomposition. Throws errc::invalid_argument if an option is out of
// range or sizes differ, errc::data if there are no examples or a value is not finite, and errc::memory if the
// decomposition does not fit into memory_bytes. Throws errc::not_psd, naming the row, if K + λW⁻¹ is not numerically
// positive definite.
kernel_ridge_model fit_kernel_ridge(const kernel& k, const dataset& x, matrix_view<const double> y,
                                    const kernel_ridge_options& options = {});
kernel_ridge_model fit_kernel_ridge_precomputed(matrix_view<const double> K, matrix_view<const double> y,
                                                const kernel_ridge_options& options = {});
// Solves by conjugate gradients. K is the kernel matrix of the examples `used` only; y and weight have one row per
// training example.
kernel_ridge_model solve_kernel_ridge_by_cg(const gram<double>& K, matrix_view<const double> y,
                                            const std::vector<double>& weight, std::vector<index> used,
                                            const kernel_ridge_options& options);
// Returns true if fit_kernel_ridge() with these options solves by conjugate gradients.
bool uses_cg(index n, index outputs, const kernel_ridge_options& options);
// Returns an upper bound on the bytes that a fit by decomposition needs in addition to the data.
double kernel_ridge_memory(index n, index outputs, const kernel_ridge_options& options);

// Returns the predicted values: a row for each object, a column for each output. K contains kernel values of new
// objects (rows) against all training examples (columns).
matrix<double> predict(const kernel_ridge_model& model, const dataset& x);
matrix<double> predict_precomputed(const kernel_ridge_model& model, matrix_view<const double> K);
// Returns, for each object, the variance of f(x) as a Gaussian process (above) or, with `noise`, the variance of a new
// observation f(x) + noise of weight 1, which is larger by λ. The result is never negative. Throws errc::unsupported
// unless the model was fitted with `variance`.
std::vector<double> predict_variance(const kernel_ridge_model& model, const dataset& x, bool noise = false);
// Returns the variances of objects whose kernel values are known: K has a row for each object and a column for each
// training example, and self[i] is k(x, x) of the object of row i.
std::vector<double> predict_variance_precomputed(const kernel_ridge_model& model, matrix_view<const double> K,
                                                 std::span<const double> self, bool noise = false);

namespace api {
struct method;
// The entry of kernel_ridge in the list of methods.
method kernel_ridge_method();
}  // namespace api

}  // namespace mercer
