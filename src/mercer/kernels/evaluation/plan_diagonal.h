// The diagonal k(x, x) of a plan, without the rest of the matrix. Internal to this folder.
#pragma once

#include <span>

#include "mercer/kernels/evaluation/prepared_data.h"

namespace mercer::evaluation {

// out[i] = k(xᵢ, xᵢ). The plan must be bound to the same data on both sides.
template <class T>
void diagonal_of(const prepared_data<T>& data, std::span<T> out);

}  // namespace mercer::evaluation
