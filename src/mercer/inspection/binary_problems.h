// The binary problems inside a classifier: which examples each was about, which side they are on, and its coefficients.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/methods/svm/svm_model.h"

namespace mercer {

// Classes `positive` against `negative`; one-versus-rest has -1 there.
struct problem_classes {
    index positive = 0;
    index negative = 1;
};
problem_classes classes_of_problem(const svm_model& model, index problem);
// (support vector, αy) of all that take part in the problem.
std::vector<std::pair<index, double>> problem_coefficients(const svm_model& model, index problem);
// "setosa", or the label as a number; "the rest" for -1.
std::string class_text(const svm_model& model, index number);
// The class of every example as a number among the model's; fails for a label that the model does not know.
std::vector<index> class_numbers(const svm_model& model, std::span<const double> y);

// A model whose support_rows are rows of x. Those of a model file of another program are not known: they are found by
// the coordinates (to seven digits, LIBSVM writes eight) and the class. Fails when one is not there: the model was
// trained on other data.
svm_model with_support_found(const svm_model& model, const dataset& x, std::span<const double> y);

}  // namespace mercer
