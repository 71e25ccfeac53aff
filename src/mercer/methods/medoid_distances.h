// Distances in feature space to the medoids of a model.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/evaluation/evaluator.h"

namespace mercer::api {

// Distances of x (rows) to `objects` (columns); `own` are the values k(m, m) of these objects. A negative square, which
// beyond rounding occurs only for kernels that are not positive semidefinite, gives 0.
inline matrix<double> distances_to(const dataset& objects, const std::vector<double>& own, const kernel& k,
                                   const dataset& x) {
    matrix<double> out(x.size(), objects.size());
    if (x.size() == 0) return out;
    make_gram<double>(k, x, objects)->fill(out.view());
    const std::vector<double> self = kernel_diagonal(k, x);
    for (index i = 0; i < out.rows(); ++i)
        for (index c = 0; c < out.cols(); ++c)
            out(i, c) = std::sqrt(std::max(
                0.0, squared_distance(self[static_cast<std::size_t>(i)], own[static_cast<std::size_t>(c)], out(i, c))));
    return out;
}

}  // namespace mercer::api
