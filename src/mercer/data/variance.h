// The variance of all coordinates of all vectors together, zeros of sparse vectors included: what gamma =
// 1/(d·variance) is made from.
#pragma once

#include <span>

#include "mercer/data/dataset.h"

namespace mercer {

// Vectors of weight 0 are left out; otherwise weights do not count. 0 for no vectors. Fails for objects that are not
// vectors.
double entry_variance(const dataset& x, std::span<const double> weight = {});

}  // namespace mercer
