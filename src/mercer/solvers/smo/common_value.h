// What all kernel values have in common: taken off (gram/narrowed.h), it leaves float what tells them apart.
#pragma once

#include <span>

#include "mercer/gram/gram.h"

namespace mercer::smo {

// The value c about which all kernel values lie, where float can hardly tell them apart: of a Gaussian much wider than
// the data, say. Else 0.
double common_value(const gram<float>& K, std::span<const index> among);  // from some of the values of these points

}  // namespace mercer::smo
