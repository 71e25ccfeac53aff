// A few rows that stand for all: S D^½ K with S of s rows that has four entries ±½ in each column (a sparse sign
// sketch, Cohen 2016), so that the expectation of (SD^½K)ᵀ(SD^½K) is KᵀDK and rows that are alone in their direction
// are in it; a uniform sample of rows would mostly miss them. Eight rows, six apart, have their buckets drawn together,
// each its own signs. One pass over K. Where s >= n every row has a bucket for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/solvers/nystroem/round_trip.h"

namespace mercer {

// One sketch for each of `count` matrices D, of whose entry of row i weight(i, c) is the c-th; all in the same pass.
// constant: K has a column of ones behind it.
using row_weights = std::function<double(index row, index c)>;
template <class T>
std::vector<matrix<double>> row_sketch(const gram_batches<T>& k, index rows, index buckets, index count,
                                       const row_weights& weight, bool constant, std::uint64_t seed);

extern template std::vector<matrix<double>> row_sketch(const gram_batches<float>&, index, index, index,
                                                       const row_weights&, bool, std::uint64_t);
extern template std::vector<matrix<double>> row_sketch(const gram_batches<double>&, index, index, index,
                                                       const row_weights&, bool, std::uint64_t);

}  // namespace mercer
