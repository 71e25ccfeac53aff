// Data as a linear solver that keeps w sees them: n rows of d numbers, and two operations. A row is never copied and
// what it does not store is never touched, so a pass over sparse rows costs as many operations as there are entries.
//
// Sums over coordinates are one chain of additions in ascending order, the same for dense and sparse rows, so both give
// the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

class linear_operand {
public:
    virtual ~linear_operand() = default;
    virtual index rows() const = 0;
    virtual index dims() const = 0;
    // xᵢᵀw
    virtual double dot(index i, const double* w) const = 0;
    // w += a·xᵢ
    virtual void add(index i, double a, double* w) const = 0;
    // xᵢᵀxᵢ
    virtual double squared_norm(index i) const = 0;
    // A row that will be wanted soon.
    virtual void prefetch(index) const {}
};

// The same numbers by columns, for a solver that changes one coordinate of w at a time. Zeros are not stored.
struct compressed_columns {
    index rows = 0;
    std::vector<index> start{0};  // column j is row[k], value[k] for start[j] <= k < start[j + 1]
    std::vector<std::int32_t> row;
    std::vector<double> value;

    index cols() const { return static_cast<index>(start.size()) - 1; }
};

}  // namespace mercer
