// Objects that a kernel cannot tell from others: ‖φ(x)-φ(z)‖² = k(x, x) + k(z, z) - 2k(x, z) = 0.
#pragma once

#include <vector>

#include "mercer/kernels/kernel.h"

namespace mercer {

// For every object of x: is one of z the same in feature space? By explicit features where the kernel has them, to the
// precision of float, within some 100 MB; else, and where there are too many objects for that, only objects that are
// equal themselves are found.
std::vector<bool> same_in_feature_space(const kernel& k, const dataset& x, const dataset& z);

}  // namespace mercer
