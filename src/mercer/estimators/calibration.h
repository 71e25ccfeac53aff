// Probabilities from decision values.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/matrix.h"

namespace mercer {

// P(class i | f) = 1/(1 + exp(A·f + B)) for a binary problem (Platt), one (A, B) per problem; or a monotone step function.
struct calibration {
    enum class method { sigmoid, isotonic } kind = method::sigmoid;
    std::vector<double> A, B;                          // sigmoid
    std::vector<std::vector<double>> knots, values;    // isotonic: values at ascending decision values
};

}  // namespace mercer
