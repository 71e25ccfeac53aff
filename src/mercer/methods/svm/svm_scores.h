// What is read off a fitted support vector machine beside its decisions.
#pragma once

#include "mercer/methods/svm/svm.h"

namespace mercer {

// One score per class from the decisions of one-versus-one: its votes, and where votes are equal the sum s of its
// decision values, squeezed to s/(3(|s|+1)), which lies within ±1/3 and so never outweighs a vote. A decision of 0
// votes for the first of both classes, as in scikit-learn. Needs more than two classes; those of one-versus-rest are
// their own scores.
matrix<double> class_scores(const svm_model& model, matrix_view<const double> decisions);

// w of every binary problem, for a model of the linear kernel: f(x) = wᵀx + b.
matrix<double> linear_weights(const svm_model& model);

}  // namespace mercer
