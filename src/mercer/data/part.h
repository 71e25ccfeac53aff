// Some of the objects of a data set, one after the other, without a copy where that is possible.
#pragma once

#include "mercer/data/dataset.h"

namespace mercer {

// Objects first … first + count - 1: vectors where they lie, other objects copied.
dataset part(const dataset& from, index first, index count);

}  // namespace mercer
