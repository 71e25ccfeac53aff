// Whether two objects are one and the same: equal coordinates (however they are stored), strings or sets. What has a
// distance of zero in truth should not be left to the last bit of kernel values, which a function of the user's may
// round differently each time it is asked.
#pragma once

#include "mercer/data/dataset.h"

namespace mercer {

bool same_object(const dataset& a, index i, const dataset& b, index j);

}  // namespace mercer
