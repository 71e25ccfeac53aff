// A few rows that stand for all: S D^½ K with S of s rows that has four entries ±½ in each column (a sparse sign
// sketch, Cohen 2016), so that the expectation of (SD^½K)ᵀ(SD^½K) is KᵀDK and rows that are alone in their direction
// are in it; a uniform sample of rows would mostly miss them. Eight rows, six apart, have their buckets drawn together,
// each its own signs. One pass over K. Where s >= n every row has a bucket for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/methods/nystroem/gram_pass.h"

namespace mercer {

// Rows of several processes are added up in no fixed order, so the numbers are rounded before to few enough digits that
// no sum rounds (base/order_free.h): what a preconditioner needs of them, the bits the same for any number of
// processes.
using row_weights = std::function<double(index row, index c)>;
// Entry t of what stands behind row i of K, in [-1, 1].
using row_columns = std::function<double(index row, index t)>;

struct sketch_options {
    index buckets = 1;                             // s
    index count = 1;                               // one sketch for each of so many matrices D, all in the same pass
    row_weights weight;                            // the entry of row i of the c-th D
    row_filter only;                               // none: all rows; else those for which it is true
    double largest_weight = 1, largest_value = 1;  // not below any weight; of the kernel values a guess
    index more = 0;                                // columns behind those of K, sketched with them:
    row_columns behind;                            // their entries
    std::uint64_t seed = 0;
};
struct row_sketches {
    std::vector<matrix<double>> of;  // SD^½K, one for each D
    // (SD^½)ᵀSD^½ <= stretch·D in the order of symmetric matrices, for every D: ‖S‖² is at most the largest sum of |S|
    // along a column, 2, times that along a row, half of what is in its bucket; and what roots of weights are rounded
    // by.
    double stretch = 1;
    double digit = 0;  // entries of K are off by no more than this
};
template <class T>
row_sketches row_sketch(const gram_batches<T>& k, const sketch_options& options);

extern template row_sketches row_sketch(const gram_batches<float>&, const sketch_options&);
extern template row_sketches row_sketch(const gram_batches<double>&, const sketch_options&);

}  // namespace mercer
