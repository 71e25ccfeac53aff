// Probabilities from decision values.
//
// A binary problem with decision value f: P(first class | f) = 1/(1 + exp(A f + B)) (Platt), A and B fitted by Newton's
// method (Lin, Lin, Weng, Machine Learning 68, 2007); or a monotone function of f (isotonic regression, pool adjacent
// violators). Both are fitted on decisions of models that have not seen the example. More than two classes: the
// pairwise probabilities are coupled (Wu, Lin, Weng, JMLR 5, 2004, second method). Regression: y - f(x) is taken as
// Laplace distributed with the scale sigma found on such decisions.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"

namespace mercer {

struct svm_model;

struct calibration {
    enum class method { sigmoid, isotonic } kind = method::sigmoid;
    std::vector<double> A, B;  // sigmoid, one of each per binary problem
    std::vector<std::vector<double>> knots,
        values;        // isotonic: values at ascending decision values, linear between them
    double sigma = 0;  // regression

    // P(first class of the problem | f), within [1e-7, 1 - 1e-7]
    double operator()(index problem, double f) const;
};

// Probabilities of the classes from decision values, one row per object, in the order of model.classes: what LIBSVM's
// -b 1 gives. Their arg-max may differ from predict(): the sigmoid need not cross ½ at f = 0, and coupling is not
// voting.
matrix<double> coupled_probabilities(const svm_model& model, matrix_view<const double> decisions);
// The same, made consistent: in every row the largest probability is that of the class predict() gives. Where it was
// not, the row is replaced by the nearest distribution in which it is.
matrix<double> predict_probability(const svm_model& model, matrix_view<const double> decisions);
matrix<double> predict_probability(const svm_model& model, const dataset& x);

// The parts, for other uses. `positive[i]`: example i is of the first class; weights empty: all 1.
std::pair<double, double> fit_sigmoid(std::span<const double> f, std::span<const std::uint8_t> positive,
                                      std::span<const double> weight = {});
// Knots and values of the nondecreasing function nearest to the labels.
std::pair<std::vector<double>, std::vector<double>> fit_isotonic(std::span<const double> f,
                                                                 std::span<const std::uint8_t> positive,
                                                                 std::span<const double> weight = {});
// r(i, j) ≈ P(i | i or j) for i ≠ j → the probabilities that fit them best.
std::vector<double> couple(matrix_view<const double> r);
// Laplace scale of residuals: their mean size, once those beyond five standard deviations have been left out.
double laplace_scale(std::span<const double> residuals);

}  // namespace mercer
