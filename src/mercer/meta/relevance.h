// How much each column matters: a factor sₐ for every column of a kernel on vectors, k(s∘x, s∘z); of a Gaussian, a γ
// for every column. Factors and noise λ are found by the gradient of one of two criteria of A = K + λI (Rasmussen,
// Williams 2006, chapter 5), Y centred, B = A⁻¹, α = BY:
//
//     evidence   -log likelihood of Y under a Gaussian process, its variance at the best value:
//                ½ log|A| + ½n log tr(YᵀBY)                       per column of Y
//     loo        log of the mean squared leave-one-out residual αᵢ/Bᵢᵢ
//
// With W = ∂criterion/∂K the gradient by log sₐ is Σᵢⱼ Wᵢⱼ ∂kᵢⱼ/∂log sₐ: the slope of k by its statistics comes from
// its own formula (kernels/evaluation/pair_evaluation.h), and what columns give to the statistics are matrix products,
// so that all columns cost about as much as the inverse. Neither criterion is convex: the end is a point where the
// gradient vanishes, found by L-BFGS from equal factors, the best common factor first; λ stays above 1e-8 of the mean
// k(x, x) at the start, for below it there is only rounding.
#pragma once

#include <span>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

enum class relevance_criterion { evidence, loo };

struct relevance_options {
    relevance_criterion criterion = relevance_criterion::evidence;
    double noise = 0.1;    // λ to start from
    double tol = 1e-4;     // of the gradient of the criterion per example
    index max_iter = 100;  // steps
    progress_callback progress{};
};

struct learnt_relevance {
    kernel learnt;                 // anisotropic(...) for a Gaussian, else scaled(k, [...])
    std::vector<double> factors;   // sₐ
    double noise = 0;              // λ
    double before = 0, after = 0;  // the criterion per example, at the start and at the end
    double gradient = 0;           // the largest part of its gradient
    fit_status status = fit_status::stationary;
    index steps = 0, evaluations = 0;
};

// y: one row an object; 2 <= objects, and n² numbers are held. Fails with errc::unsupported for kernels without slopes.
learnt_relevance learn_relevance(const kernel& k, const dataset& x, matrix_view<const double> y,
                                 const relevance_options& options = {});

// The criterion per example at given log factors and log λ (the last), and its gradient: what is minimised.
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
