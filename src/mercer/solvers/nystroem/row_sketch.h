// A few rows that stand for all: S D^½ K with S of s rows that has one entry ±1 in each column (a count sketch,
// Clarkson, Woodruff 2013), so that the expectation of (SD^½K)ᵀ(SD^½K) is KᵀDK and rows that are alone in their
// direction are in it as they are; a uniform sample of rows would mostly miss them. Eight rows in a row have their
// bucket drawn together, each its own sign. One pass over K. Where s >= n every row has a bucket for itself.
#pragma once

#include <cstdint>
#include <functional>

#include "mercer/solvers/nystroem/round_trip.h"

namespace mercer {

// weight(i) is the entry of D of row i. constant: K has a column of ones behind it.
template <class T>
matrix<double> row_sketch(const gram_batches<T>& k, index rows, index buckets,
                          const std::function<double(index)>& weight, bool constant, std::uint64_t seed);

extern template matrix<double> row_sketch(const gram_batches<float>&, index, index, const std::function<double(index)>&,
                                          bool, std::uint64_t);
extern template matrix<double> row_sketch(const gram_batches<double>&, index, index,
                                          const std::function<double(index)>&, bool, std::uint64_t);

}  // namespace mercer
