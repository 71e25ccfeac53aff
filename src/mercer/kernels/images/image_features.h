// Embeddings of images as dense vectors of a fixed number of coordinates, computed in parallel.
#pragma once

#include <string>

#include "mercer/data/images.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {

// fill(image, row) sets the `dims` coordinates of an image, which are 0 before the call.
template <class Fill>
embedding image_features(std::string key, index dims, Fill fill) {
    return {key, [key, dims, fill](const dataset& x, const dataset* z) {
                const auto all = [&](const dataset& from) -> dataset {
                    const images& some = objects_of<images>(from, key);
                    matrix<double> rows(some.size(), dims);
                    parallel_for(some.size(), [&](index i) { fill(some[i], rows.row(i)); });
                    return dense<double>(std::move(rows));
                };
                return std::pair(all(x), z ? all(*z) : dataset());
            }};
}

}  // namespace mercer
