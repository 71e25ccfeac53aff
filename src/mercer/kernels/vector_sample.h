// What a sample of vectors tells of them all.
#pragma once

#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

template <class T>
struct vector_sample {
    std::vector<T> centre;  // the median of every coordinate: a few far points do not move it
    double centre_share =
        0;               // of the squared norms, what subtracting the centre takes away; 0 where that is not finite
    double density = 1;  // the part of the coordinates that are not zero
};
template <class T>
vector_sample<T> sample_vectors(const dataset& x);

}  // namespace mercer
