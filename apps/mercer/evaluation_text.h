// An evaluation for the terminal.
#pragma once

#include <string>

#include "mercer/metrics/evaluation.h"

namespace mercer::cli {

std::string evaluation_text(const evaluation& all);

}  // namespace mercer::cli
