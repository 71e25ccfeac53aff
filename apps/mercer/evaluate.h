// The page that `mercer fit --html` writes.
#pragma once

#include <string>

#include "fit.h"
#include "mercer/model_selection/search.h"
#include "mercer/plot/evaluation_page.h"

namespace mercer::cli {

// Writes one page on a model and the data it was fitted on: data, choices, search, scores, pictures and, for a support
// vector classifier, the margin report. `search` is null if the parameters were not searched.
void write_fit_page(const std::string& file, const api::model& m, const table& data, const std::string& path,
                    std::uint64_t seed, const api::tuning* search);

}  // namespace mercer::cli
