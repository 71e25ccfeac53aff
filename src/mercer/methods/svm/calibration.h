// Probabilities from decision values.
//
// For a binary problem with decision value f: P(first class | f) = 1/(1 + exp(A f + B)) (Platt), with A and B fitted by
// Newton's method (Lin, Lin, Weng, Machine Learning 68, 2007); or a monotone function of f (isotonic regression, pool
// adjacent violators). Both are fitted to held-out decisions. For more than two classes, the pairwise probabilities are
// coupled (Wu, Lin, Weng, JMLR 5, 2004, second method). For regression, y - f(x) is assumed to have a Laplace
// distribution, whose scale sigma is estimated from held-out residuals.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"

namespace mercer {

struct svm_model;

// The fitted map from decision values to probabilities.
struct calibration {
    enum class method { sigmoid, isotonic } kind = method::sigmoid;
    std::vector<double> A, B;  // sigmoid: one of each per binary problem
    std::vector<std::vector<double>> knots,
        values;        // isotonic: values at ascending decision values, with linear interpolation
    double sigma = 0;  // regression: scale of the Laplace distribution

    // Returns P(first class of the problem | f), clamped to [1e-7, 1 - 1e-7].
    double operator()(index problem, double f) const;
};

// Probabilities of the classes from decision values, one row per object, in the order of model.classes, as from
// LIBSVM's -b 1. The most probable class may differ from predict(), because the sigmoid need not be ½ at f = 0, and
// coupling is not voting. Throws errc::unsupported if the model has no probabilities.
matrix<double> coupled_probabilities(const svm_model& model, matrix_view<const double> decisions);
// The probabilities of the classes, made consistent with predict(): if the predicted class of a row is not the most
// probable one, the row is replaced by the nearest distribution in which the predicted class is the most probable one.
matrix<double> predict_probability(const svm_model& model, matrix_view<const double> decisions);
matrix<double> predict_probability(const svm_model& model, const dataset& x);

// Fits A and B of the sigmoid to decision values f. positive[i] is 1 if example i is of the first class of the problem,
// otherwise 0. Empty `weight`: all weights are 1.
std::pair<double, double> fit_sigmoid(std::span<const double> f, std::span<const std::uint8_t> positive,
                                      std::span<const double> weight = {});
// Returns the knots and the values of the nondecreasing function of f that is nearest to the labels (1 if positive[i],
// else 0) in weighted least squares.
std::pair<std::vector<double>, std::vector<double>> fit_isotonic(std::span<const double> f,
                                                                 std::span<const std::uint8_t> positive,
                                                                 std::span<const double> weight = {});
// Couples pairwise probabilities r(i, j) ≈ P(i | i or j), i ≠ j, to the class probabilities that fit them best.
std::vector<double> couple_probabilities(matrix_view<const double> r);
// The Laplace scale of residuals: their mean absolute value without those beyond five standard deviations.
double laplace_scale(std::span<const double> residuals);

}  // namespace mercer
