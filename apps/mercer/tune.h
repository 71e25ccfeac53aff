// The parameter search of `mercer tune` and of `mercer fit` without a method: its options, its execution and its
// output.
#pragma once

#include "fit.h"
#include "mercer/model_selection/search.h"

namespace mercer::cli {

struct search_options {
    api::tune_options how;
    void add_to(CLI::App& command);
};

// Runs the search with a progress line. The first Ctrl-C ends it with the best setting found so far.
api::tuning tune_with_progress(const api::spec& s, const loaded_data& on, const search_options& search,
                               std::uint64_t seed, std::size_t memory, progress_line& shown);
// Summarises the search in a few lines and names parameters whose best value is at the end of the range.
std::string summary(const api::tuning& found);
// Returns a chart of the scores over the tuned numbers, if there are one or two of them.
std::optional<panel> search_panel(const api::tuning& found);

}  // namespace mercer::cli
