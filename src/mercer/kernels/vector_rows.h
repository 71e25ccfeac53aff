// Coordinates of vectors as doubles, from whatever storage the data have.
#pragma once

#include <algorithm>
#include <cstddef>

#include "mercer/data/dataset.h"

namespace mercer {

// Some coordinates of vectors that lie side by side.
struct slice {
    index first = 0;
    index count = 0;
};

// Calls use(k, value) for the entries of row i within a slice, k counted from its first coordinate.
template <class U, class Use>
void entries_within(const sparse<U>& from, index i, slice part, Use use) {
    const auto cols = from.cols(i);
    const auto values = from.values(i);
    const auto first = part.first == 0 ? cols.begin() : std::lower_bound(cols.begin(), cols.end(), part.first);
    for (auto k = static_cast<std::size_t>(first - cols.begin()); k < cols.size() && cols[k] < part.first + part.count;
         ++k)
        use(static_cast<index>(cols[k]) - part.first, values[k]);
}

// Coordinates of vector i as doubles.
void read_row(const dataset& vectors, index i, slice part, double* out);
// All coordinates of vector i.
void read_row(const dataset& vectors, index i, double* out);

}  // namespace mercer
