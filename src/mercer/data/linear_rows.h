// Vectors of a data set as the operand of a linear solver.
#pragma once

#include <memory>
#include <span>

#include "mercer/base/linear_operand.h"
#include "mercer/data/dataset.h"

namespace mercer {

// All rows, or those named, dense or sparse, float or double; `x` and the list must outlive the operand. A constant
// that is not zero stands behind each row as one more coordinate, which makes its weight an offset (LIBLINEAR's -B).
// Fails for objects that are not vectors.
std::unique_ptr<linear_operand> linear_rows(const dataset& x, double constant = 0);
std::unique_ptr<linear_operand> linear_rows(const dataset& x, std::span<const index> which, double constant = 0);
// A copy of the named rows by columns, with a constant as above.
compressed_columns linear_columns(const dataset& x, std::span<const index> which, double constant = 0);

}  // namespace mercer
