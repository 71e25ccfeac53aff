// The page that `mercer fit --html` writes.
#pragma once

#include <string>

#include "fit.h"
#include "mercer/model_selection/search.h"

namespace mercer::cli {

// Everything, of a model on the data it was fitted on; with the margins where it is a machine. search: null where there
// was none.
void write_fit_page(const std::string& file, const api::model& m, const table& data, const std::string& path,
                    std::uint64_t seed, const api::tuning* search);

}  // namespace mercer::cli
