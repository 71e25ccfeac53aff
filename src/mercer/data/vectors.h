// Sparse vectors in a space of far more columns than they have entries: hashed features, or one index of 2147483647.
#pragma once

#include <span>
#include <vector>

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

}  // namespace mercer
