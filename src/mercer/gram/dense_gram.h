// A Gram matrix made into numbers in memory, for what has to see all of it at once.
#pragma once

#include <string>

#include "mercer/gram/gram.h"

namespace mercer {

// Where K and Kᵀ differ most. row = col = 0 and size = 0 for a symmetric matrix.
struct asymmetry {
    double size = 0;
    index row = 0;
    index col = 0;
};
asymmetry largest_asymmetry(matrix_view<const double> k);

// All of K, entry by entry: `gram::all` may mirror one half and so hide that a user's kernel is not symmetric.
matrix<double> formed(const gram<double>& k);
// ½(K + Kᵀ); fails unless K is square, finite, and symmetric to 1e-12 of its largest entry.
matrix<double> formed_symmetric(const gram<double>& k, const std::string& owner);
// a ← ½(a + aᵀ)
void symmetrise(matrix<double>& a);

}  // namespace mercer
