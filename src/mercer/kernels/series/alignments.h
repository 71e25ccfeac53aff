// Functions that the kernels on aligned series share.
#pragma once

#include <string>

#include "mercer/data/series.h"

namespace mercer {

// ‖x_i - y_j‖²
inline double squared_distance_at(const one_series& x, index i, const one_series& y, index j) {
    double sum = 0;
    const double *a = x.at(i), *b = y.at(j);
    for (index d = 0; d < x.dims; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

// Throws errc::data, naming the kernel `owner`, if two series that are not empty have vectors of different dimensions.
void require_same_dims(const std::string& owner, const one_series& x, const one_series& y);

}  // namespace mercer
