// Sparse vectors in a space of far more columns than they have entries: hashed features, or one index of 2147483647.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"

namespace mercer {

// The columns in which one of the vectors at least has an entry, ascending.
std::vector<std::int32_t> occurring_columns(const dataset& sparse_vectors);
// The same vectors with column columns[j] as column j; columns that are not among them are left out. `columns` ascend.
dataset renumbered(const dataset& sparse_vectors, std::span<const std::int32_t> columns);
// Whether an array as long as the number of columns would be large beside the vectors themselves.
bool mostly_empty_columns(const dataset& vectors);
// The first `dims` columns.
dataset first_columns(const dataset& sparse_vectors, index dims);

// Vectors of a data set as the operand of a linear solver.

// All rows, or those named, dense or sparse, float or double; `x` and the list must outlive the operand. A constant
// that is not zero stands behind each row as one more coordinate, which makes its weight an offset (LIBLINEAR's -B).
// Fails for objects that are not vectors.
std::unique_ptr<linear_operand> linear_rows(const dataset& x, double constant = 0);
std::unique_ptr<linear_operand> linear_rows(const dataset& x, std::span<const index> which, double constant = 0);
// A copy of the named rows by columns, with a constant as above.
compressed_columns linear_columns(const dataset& x, std::span<const index> which, double constant = 0);

// The variance of all coordinates of all vectors together, zeros of sparse vectors included: what gamma =
// 1/(d·variance) is made from.

class process_group;

// Vectors of weight 0 are left out; otherwise weights do not count. 0 for no vectors. Fails for objects that are not
// vectors. Of several processes each adds its own to what those before it have found, so that the bits are those of one
// that has all: not divided, but a pass over the data is nothing beside one over a kernel matrix.
double entry_variance(const dataset& x, std::span<const double> weight = {}, const process_group* group = nullptr);

}  // namespace mercer
