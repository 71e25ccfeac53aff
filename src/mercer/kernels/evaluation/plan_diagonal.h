// The diagonal k(x, x), without the rest of the matrix.
#pragma once

#include <span>

#include "mercer/kernels/evaluation/prepared_data.h"

namespace mercer::evaluation {

// out[i] = k(x[i], x[i]) by a plan that is bound to the same data on both sides.
template <class T>
void diagonal_of(const bound_plan<T>& bound, std::span<T> out);

}  // namespace mercer::evaluation
