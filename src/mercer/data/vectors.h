// Operations on data sets of vectors: changes of the columns of sparse vectors, vectors as operands of linear solvers,
// and the variance of the entries. Functions throw errc::unsupported for objects that are not vectors.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"

namespace mercer {

// The first four functions are for sparse vectors that have far more columns than entries, for example hashed features,
// or a file with one index of 2147483647.

// Returns the columns in which at least one vector has an entry, ascending.
std::vector<std::int32_t> used_columns(const dataset& sparse_vectors);
// Returns the vectors with column columns[j] as column j and without all other columns. `columns` must be ascending.
dataset compact_columns(const dataset& sparse_vectors, std::span<const std::int32_t> columns);
// Returns true if an array with one number per column would be much larger than the vectors (more than 65536 +
// 4·entries columns).
bool mostly_empty_columns(const dataset& vectors);
// Returns the vectors with the columns 0 … dims - 1 only.
dataset first_columns(const dataset& sparse_vectors, index dims);

// Returns all vectors of a data set, or those listed in `which`, as the operand of a linear solver. `x` and `which`
// must outlive the operand. If `constant` is not zero, it is appended to each row as the last coordinate, whose weight
// is then an offset (LIBLINEAR's -B).
std::unique_ptr<linear_operand> make_linear_operand(const dataset& x, double constant = 0);
std::unique_ptr<linear_operand> make_linear_operand(const dataset& x, std::span<const index> which,
                                                    double constant = 0);
// Returns a copy of the listed vectors, stored by columns, with `constant` appended as for make_linear_operand().
compressed_columns make_compressed_columns(const dataset& x, std::span<const index> which, double constant = 0);

class communicator;

// Returns the variance of all coordinates of all vectors, zeros of sparse vectors included, for gamma = 1/(d·variance).
// Vectors of weight 0 are left out; apart from that, weights have no effect. 0 if there are no vectors. In a group,
// each rank adds its vectors to the sums of the ranks before it, so the result is bit-identical to that of one process
// with all vectors. The ranks work one after the other, but a pass over the data is short compared with one over a
// kernel matrix.
double entry_variance(const dataset& x, std::span<const double> weight = {}, const communicator* group = nullptr);

}  // namespace mercer
