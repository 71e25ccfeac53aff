// Decisions of a machine whose kernel is the dot product: f(x) = wᵀx + b, one pass over the coordinates whatever the
// number of support vectors.
#pragma once

#include <optional>

#include "mercer/methods/svm/svm.h"

namespace mercer {

// As decide() with exact arithmetic; nothing where the kernel is another one, or where w would cost more than it saves.
std::optional<matrix<double>> decide_linear(const svm_model& model, const dataset& x);

}  // namespace mercer
