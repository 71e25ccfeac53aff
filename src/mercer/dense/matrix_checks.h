// Checks of matrices that come from outside of the library.
#pragma once

#include <string>

#include "mercer/base/matrix_view.h"

namespace mercer {

// Fails, naming row and column, at the first entry that is NaN or infinite.
void require_finite(matrix_view<const double> a, const std::string& owner);
// The same for what is on and above the diagonal.
void require_finite_half(matrix_view<const double> a, const std::string& owner);
// Fails, naming the entries, where |aᵢⱼ - aⱼᵢ| > 1e-8·max|a|, and unless A is square.
void require_symmetric(matrix_view<const double> a, const std::string& owner);

}  // namespace mercer
