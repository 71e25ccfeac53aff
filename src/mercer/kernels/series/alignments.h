// What kernels on aligned series share.
#pragma once

#include <string>

#include "mercer/data/series.h"

namespace mercer {

// ‖x_i - y_j‖²
double squared_distance_at(const one_series& x, index i, const one_series& y, index j);
// Fails where one has vectors of other dimensions than the other.
void require_same_dims(const std::string& owner, const one_series& x, const one_series& y);

}  // namespace mercer
