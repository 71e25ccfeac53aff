// Φ with K ≈ ΦΦᵀ, few columns, where K has few directions: a plane given as a matrix, polynomials, Gaussians that
// hardly vary over the data. Cholesky with the largest remaining diagonal entry as pivot (Fine, Scheinberg, J. Machine
// Learning Research 2, 2001), which asks for as many rows of K as Φ has columns.
#pragma once

#include "mercer/base/matrix_view.h"
#include "mercer/gram/gram.h"

namespace mercer::smo {

// One row for each of K's; empty where more than `most` columns would be needed for entries of K + common to be within
// `residual` of ΦΦᵀ, or within what rounding allows, or where K is not positive semidefinite.
matrix<double> low_rank_factor(const gram<double>& K, double common, index most, double residual);

}  // namespace mercer::smo
