// Decisions of a machine whose kernel is the dot product, of vectors or of explicit features: f(x) = wᵀφ(x) + b, one
// pass over the coordinates whatever the number of support vectors.
#pragma once

#include <optional>

#include "mercer/methods/svm/svm.h"

namespace mercer {

// As decide() with exact arithmetic; nothing where the kernel is another one, or where w would cost more than it saves.
std::optional<matrix<double>> decide_linear(const svm_model& model, const dataset& x);
// The same for objects whose kernel has explicit features, where so many pairs would be compared that it pays.
std::optional<matrix<double>> decide_by_features(const svm_model& model, const dataset& x);

}  // namespace mercer
