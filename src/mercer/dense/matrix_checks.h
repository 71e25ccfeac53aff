// Checks of matrices before a computation. `owner` stands at the front of the message.
#pragma once

#include <string>

#include "mercer/base/matrix_view.h"

namespace mercer {

// Throws errc::data, with row and column, at the first entry that is NaN or infinite.
void require_finite(matrix_view<const double> a, const std::string& owner);
// The same for the entries on and above the diagonal.
void require_finite_half(matrix_view<const double> a, const std::string& owner);
// Throws errc::invalid_argument unless A is square and |aᵢⱼ - aⱼᵢ| <= 1e-8·max|a|; the message holds the two entries.
void require_symmetric(matrix_view<const double> a, const std::string& owner);

}  // namespace mercer
