// Numbers in the state of a fit that goes on from a checkpoint: a state is a list of doubles, and its file may be
// damaged.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

// Fails with errc::data unless x is a whole number and low <= x <= high.
inline index whole_in_state(double x, index low, index high) {
    if (!(x >= static_cast<double>(low) && x <= static_cast<double>(high)) || x != std::floor(x))
        fail(errc::data, fmt::format("the checkpoint is damaged: a whole number from {} to {} was expected, got {}. "
                                     "Remove its file and fit again",
                                     low, high, x));
    return static_cast<index>(x);
}
// Fails with errc::data unless low <= x <= high.
inline double number_in_state(double x, double low, double high) {
    if (!(x >= low && x <= high))
        fail(errc::data,
             fmt::format("the checkpoint is damaged: a number from {} to {} was expected, got {}. Remove its "
                         "file and fit again",
                         low, high, x));
    return x;
}
inline index count_in_state(double x) { return whole_in_state(x, 0, index{1} << 53); }

}  // namespace mercer
