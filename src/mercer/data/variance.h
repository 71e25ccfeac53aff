// The variance of all coordinates of all vectors together, zeros of sparse vectors included: what gamma =
// 1/(d·variance) is made from.
#pragma once

#include <span>

#include "mercer/data/dataset.h"

namespace mercer {

class process_group;

// Vectors of weight 0 are left out; otherwise weights do not count. 0 for no vectors. Fails for objects that are not
// vectors. Of several processes each adds its own to what those before it have found, so that the bits are those of one
// that has all: not divided, but a pass over the data is nothing beside one over a kernel matrix.
double entry_variance(const dataset& x, std::span<const double> weight = {}, const process_group* group = nullptr);

}  // namespace mercer
