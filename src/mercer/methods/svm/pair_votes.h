// Predictions of one-versus-one models of many classes, without storing the decisions of all pairs.
#pragma once

#include <functional>
#include <vector>

#include "mercer/methods/svm/svm_model.h"

namespace mercer {

// Sets out(i, s) to the kernel value of object objects[i] and support vector support[s]. Called from several threads.
using kernel_tile = std::function<void(const row_set& objects, const row_set& support, matrix_view<double> out)>;

// Returns the label with the most votes for each object, in double. The model must be one-versus-one with more than two
// classes.
std::vector<double> predict_by_votes(const svm_model& model, index objects, const kernel_tile& block);

}  // namespace mercer
