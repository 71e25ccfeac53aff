// Location and density of a set of vectors, estimated from fewer than 512 of them.
#pragma once

#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

template <class T>
struct vector_sample {
    // The median of every coordinate, which is robust against outliers. Empty if there are no vectors, if a sum of
    // squares is not finite, or for sparse vectors of more than 4096 coordinates.
    std::vector<T> centre;
    double centred_fraction = 0;  // 1 - Σ‖x - centre‖²/Σ‖x‖², at least 0; 0 if it is not finite
    double density = 1;           // the fraction of the coordinates that are not zero
};
// Returns the location and density of x. Deterministic: the sampled vectors have evenly spaced positions in x.
template <class T>
vector_sample<T> sample_vectors(const dataset& x);

}  // namespace mercer
