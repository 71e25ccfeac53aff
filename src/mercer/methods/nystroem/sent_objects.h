// Objects of any kind on their way from one process to another.
#pragma once

#include <string>
#include <string_view>

#include "mercer/data/dataset.h"

namespace mercer {

class process_group;

std::string packed(const dataset& x);
dataset unpacked(std::string_view bytes);
// The objects of all processes, in their order, at each.
dataset joined(const process_group& group, const dataset& mine);

}  // namespace mercer
