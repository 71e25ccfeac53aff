// One page of a model: its data, its choices, the search, what it does, and what the theory says of it.
#pragma once

#include <string>

#include "fit.h"
#include "mercer/metrics/evaluation.h"
#include "mercer/model_selection/search.h"
#include "mercer/plot/evaluation_page.h"

namespace mercer::cli {

// The data, the fit and the pictures.
evaluation_page model_page(const api::model& m, const table& data, const std::string& path, std::uint64_t seed);
// The map of a search and its best few settings.
void add_search(const api::tuning& found, evaluation_page& page);
// Everything, of a model on the data it was fitted on; with the margins where it is a machine. search: null where there
// was none.
void write_fit_page(const std::string& file, const api::model& m, const table& data, const std::string& path,
                    std::uint64_t seed, const api::tuning* search);

}  // namespace mercer::cli

namespace mercer::cli {

// An evaluation for the terminal.

std::string evaluation_text(const evaluation& all);

}  // namespace mercer::cli
