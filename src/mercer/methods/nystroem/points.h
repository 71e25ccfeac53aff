// Vectors of the space of (γ, b) that Newton's method moves in: a row for each function, M numbers and, with an offset,
// one more. Functions that do not depend on each other are problems of their own; the rows of a problem lie together.
#pragma once

#include <numeric>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/dense/vector_ops.h"

namespace mercer::points {

using point = matrix<double>;
using numbers = std::vector<double>;  // one for each problem

inline double dot(const point& a, const point& b) {
    return smo::best_vector_ops().dot(a.data(), b.data(), a.rows() * a.cols());
}
inline numbers dots(const point& a, const point& b, index problems) {
    const index size = a.rows() * a.cols() / problems;
    numbers out;
    for (index q = 0; q < problems; ++q)
        out.push_back(smo::best_vector_ops().dot(a.data() + q * size, b.data() + q * size, size));
    return out;
}
// a ← a·by + more·times
inline void combine(point& a, const numbers& by, const point& more, const numbers& times) {
    const index size = a.rows() * a.cols() / std::ssize(by);
    for (std::size_t q = 0; q < by.size(); ++q)
        for (index i = static_cast<index>(q) * size, end = i + size; i < end; ++i)
            a.data()[i] = by[q] * a.data()[i] + times[q] * more.data()[i];
}
inline double sum(const numbers& a) { return std::accumulate(a.begin(), a.end(), 0.0); }

}  // namespace mercer::points
