// What scaling needs to know of columns: min and max, or mean and sd, in passes over rows that come in batches.
#pragma once

#include "mercer/preprocess/scaling.h"

namespace mercer {

// Of the rows of all processes of the group, where there is one.
std::vector<scaling::range> fit_columns(const scaling::batch_pass& pass, scaling_method method,
                                        const process_group* group);

}  // namespace mercer
