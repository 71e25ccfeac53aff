// The usual ranges of numbers that are left open without one.
#pragma once

#include "mercer/model/model.h"
#include "mercer/model_selection/search_space.h"

namespace mercer::api {

// 1/median ‖x - z‖² of a sample; 1 where there is none.
double median_gamma(const dataset& x);
// A kernel for such objects with what matters most left open: rbf(gamma=?) for vectors.
std::string default_open_kernel(const dataset& x);
// Of an argument of a kernel: γ around the median heuristic, small whole numbers for lengths and depths, factors from
// 0.01 to 100. Fails for arguments of which no range is usual.
axis usual_range_of_kernel(const hole& open, const table& data);
// Of an option of a method: C from 0.01 to 1000, λ from 1e-6 to 10, ν within (0, 1), ε by the spread of the targets.
axis usual_range_of_option(const option_info& option, const table& data);

}  // namespace mercer::api
