// A search, and what is shown of it: for `mercer tune` and for `mercer fit` that tunes.
#pragma once

#include "fit.h"
#include "mercer/model_selection/search.h"

namespace mercer::cli {

struct search_options {
    api::tune_options how;
    void add_to(CLI::App& command);
};

// With a progress line; the first Ctrl-C ends it with the best so far.
api::tuning tune_shown(const api::spec& s, const objects& on, const search_options& search, std::uint64_t seed,
                       std::size_t memory, progress& shown);
// A few lines of what was done, and what to look at next.
std::string summary(const api::tuning& found);
// The scores over the one or two numbers that were left open; none where there are more.
std::optional<panel> search_panel(const api::tuning& found);

}  // namespace mercer::cli
