// The binary problems of a classifier: the classes and examples of each, and its coefficients.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/methods/svm/svm_model.h"

namespace mercer {

// The classes of a binary problem, as positions in model.classes. `negative` is -1 for one-versus-rest.
struct problem_classes {
    index positive = 0;
    index negative = 1;
};
// Returns the classes of a binary problem, 0 <= problem < model.problems(). Throws errc::invalid_argument for another
// number.
problem_classes classes_of_problem(const svm_model& model, index problem);
// The pairs (number of a support vector, αᵢyᵢ) of all support vectors with a nonzero coefficient in this problem, 0 <=
// problem < model.problems().
std::vector<std::pair<index, double>> problem_coefficients(const svm_model& model, index problem);
// The name of a class, or its label as a number if it has no name; "the rest" for -1.
std::string class_text(const svm_model& model, index number);
// The class of every example of label y[i], as a position in model.classes. Throws errc::data for a label that the
// model does not have.
std::vector<index> class_numbers(const svm_model& model, std::span<const double> y);

// Returns the model with support_rows that are rows of x. x and y are the training examples. Models that this library
// fitted contain the rows. For model files of other programs the rows are found by comparing the class and the
// coordinates to seven digits (LIBSVM writes eight). Throws errc::data if a support vector is not found: the model was
// trained on other data.
svm_model locate_support_vectors(const svm_model& model, const dataset& x, std::span<const double> y);

}  // namespace mercer
