// Scores and probabilities of classes, a column each, from whatever a model has of them.
#pragma once

#include <optional>
#include <span>

#include "mercer/methods/estimator.h"

namespace mercer::api {

// Scores of which the largest wins. Two classes have one function between them; on which side of 0 the first class lies
// is the method's own affair, and seen from its predictions. Probabilities where there is nothing else; none where the
// model has neither.
std::optional<matrix<double>> scores_of_classes(const fitted& by, const examples& x, std::span<const double> predicted);
std::optional<matrix<double>> probabilities_of_classes(const fitted& by, const examples& x);

}  // namespace mercer::api
