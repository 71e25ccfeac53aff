// How good predictions v of the targets y are.
#pragma once

#include <span>

#include "mercer/base/matrix_view.h"

namespace mercer {

struct regression_score {
    double mean_squared_error = 0;
    double squared_correlation = 0;
};
regression_score score_regression(std::span<const double> y, std::span<const double> v);
index count_correct(std::span<const double> y, std::span<const double> v);

}  // namespace mercer
