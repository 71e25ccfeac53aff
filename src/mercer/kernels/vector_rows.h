// Reads coordinates of vectors from any storage (dense or sparse, float or double).
#pragma once

#include <algorithm>
#include <cstddef>

#include "mercer/data/dataset.h"

namespace mercer {

// The coordinates first … first + count - 1 of a vector.
struct coordinate_range {
    index first = 0;
    index count = 0;
};

// Calls use(k, value) for the entries of sparse vector i in a range; k is the coordinate minus part.first.
template <class U, class Use>
void entries_within(const sparse<U>& from, index i, coordinate_range part, Use use) {
    const auto cols = from.cols(i);
    const auto values = from.values(i);
    const auto first = part.first == 0 ? cols.begin() : std::lower_bound(cols.begin(), cols.end(), part.first);
    for (auto k = static_cast<std::size_t>(first - cols.begin()); k < cols.size() && cols[k] < part.first + part.count;
         ++k)
        use(static_cast<index>(cols[k]) - part.first, values[k]);
}

// out[k] = coordinate part.first + k of vector i, for all k < part.count.
void read_row(const dataset& vectors, index i, coordinate_range part, double* out);
// Writes all coordinates of vector i to `out`.
void read_row(const dataset& vectors, index i, double* out);

}  // namespace mercer
