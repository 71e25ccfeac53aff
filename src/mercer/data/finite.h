// Where vectors hold what is not a number.
#pragma once

#include <optional>

#include "mercer/data/dataset.h"

namespace mercer {

struct not_finite_value {
    index row = 0, column = 0;
    double value = 0;
};
// The first coordinate that is NaN or infinite, by rows; nothing where there is none, or the objects are not vectors.
// require_finite() fails with it.
std::optional<not_finite_value> first_not_finite(const dataset& vectors);

}  // namespace mercer
