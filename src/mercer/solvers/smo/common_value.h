// What all kernel values have in common: taken off (gram/narrowed.h), it leaves float what tells them apart.
#pragma once

#include <span>

#include "mercer/gram/gram.h"

namespace mercer::smo {

// The value c about which all kernel values lie, where float can hardly tell them apart: of a Gaussian much wider than
// the data, say. Else 0.
double common_value(std::span<const float> values);
double common_value(const gram<float>& K);  // from some of its values

}  // namespace mercer::smo
