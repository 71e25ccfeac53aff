// Relevance of columns: learns a factor sₐ for every column of a kernel on vectors, k(s∘x, s∘z); for a Gaussian kernel
// a γ for every column. The factors and the noise λ minimise one of two criteria of A = K + λI (Rasmussen, Williams
// 2006, chapter 5), with centred Y, B = A⁻¹ and α = BY:
//
//     evidence   negative log likelihood of Y under a Gaussian process with its variance at the optimum:
//                ½ log|A| + ½n log tr(YᵀBY)                       per column of Y
//     loo        log of the mean squared leave-one-out residual αᵢ/Bᵢᵢ
//
// With W = ∂criterion/∂K the gradient by log sₐ is Σᵢⱼ Wᵢⱼ ∂kᵢⱼ/∂log sₐ. The derivative of k by its statistics follows
// from its formula (kernels/evaluation/pair_evaluation.h), and the contributions of the columns to the statistics are
// matrix products, so the gradient for all columns costs about as much as the inverse. Neither criterion is convex: the
// result is a stationary point, found by L-BFGS, which first optimises a common factor of all columns and then starts
// from there. λ stays above 1e-8 of the mean initial k(x, x); below it there is only rounding.
//
// Example:
//
//     const double numbers[] = {0, 5, 1, 2, 2, 8, 3, 1, 4, 9, 5, 4}, targets[] = {0, 1, 2, 3, 4, 5};
//     const dataset x = dense<double>({numbers, 6, 2});  // the first column determines the targets
//     const learnt_relevance found = learn_relevance(gaussian{0.1}, x, {targets, 6, 1});
//     assert(found.factors[0] > found.factors[1]);
#pragma once

#include <span>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

// The criterion that is minimised (see above).
enum class relevance_criterion { evidence, loo };

// Options of learn_relevance().
struct relevance_options {
    relevance_criterion criterion = relevance_criterion::evidence;
    double noise = 0.1;    // initial λ
    double tol = 1e-4;     // tolerance of the gradient of the criterion per example
    index max_iter = 100;  // maximal number of L-BFGS steps
    progress_callback progress{};
};

// The result of learn_relevance().
struct learnt_relevance {
    kernel learnt;                 // anisotropic(...) for a Gaussian kernel, otherwise scaled(k, [...])
    std::vector<double> factors;   // sₐ
    double noise = 0;              // λ
    double before = 0, after = 0;  // criterion per example at the start and at the end
    double gradient = 0;           // largest component of its gradient
    fit_status status = fit_status::stationary;
    index steps = 0, evaluations = 0;
};

// Learns the factors. x contains n >= 2 vectors; y has a row for each vector and a column for each target (for classes,
// an indicator column for each class). Stores n² numbers. Throws errc::unsupported for kernels without derivatives.
learnt_relevance learn_relevance(const kernel& k, const dataset& x, matrix_view<const double> y,
                                 const relevance_options& options = {});

// The minimised function: the criterion per example and its gradient, at the log factors followed by log λ.
class relevance_objective {
public:
    relevance_objective(const kernel& k, const dataset& x, matrix_view<const double> y, relevance_criterion criterion);
    ~relevance_objective();
    index columns() const;
    double operator()(std::span<const double> at, std::span<double> gradient) const;

private:
    struct parts;
    std::unique_ptr<const parts> parts_;
};

}  // namespace mercer
