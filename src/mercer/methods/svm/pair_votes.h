// Predictions of one-versus-one machines for so many classes that the decisions of all pairs are not kept.
#pragma once

#include <functional>
#include <vector>

#include "mercer/methods/svm/svm_model.h"

namespace mercer {

// Fills out(i, s) with the kernel value of object objects[i] and support vector support[s]. Called from several
// threads.
using kernel_tile = std::function<void(const selection& objects, const selection& support, matrix_view<double> out)>;

// The class with the most votes of all pairs, for each of so many objects; in double. The model must be by pairs.
std::vector<double> predict_by_votes(const svm_model& model, index objects, const kernel_tile& block);

}  // namespace mercer
