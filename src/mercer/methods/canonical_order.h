// An order of examples that depends only on what they are, not on where they stand: by object, then target, then
// weight. A solver that takes them in this order gives the same answer for every permutation of the data; examples that
// cannot be told apart may be exchanged.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

// rank[i] is the place of example i; y and weight may be empty.
std::vector<index> example_ranks(const dataset& x, std::span<const double> y, std::span<const double> weight);

}  // namespace mercer
