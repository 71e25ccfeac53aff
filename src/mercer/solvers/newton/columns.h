// Sums over all numbers of two matrices of one size, for iterations whose vectors are n × C. The library's own use.
#pragma once

#include "mercer/base/matrix_view.h"

namespace mercer::columns {

inline double dot(const matrix<double>& a, const matrix<double>& b) {
    double sum = 0;
    for (index k = 0; k < a.rows() * a.cols(); ++k) sum += a.data()[k] * b.data()[k];
    return sum;
}

// a ← a + t·b
inline void add(matrix<double>& a, double t, const matrix<double>& b) {
    for (index k = 0; k < a.rows() * a.cols(); ++k) a.data()[k] += t * b.data()[k];
}

}  // namespace mercer::columns
