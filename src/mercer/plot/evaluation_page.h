// One HTML file for a model: the data, how it was fitted, the search for its settings, how good it is, and pictures.
// It needs nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/metrics/evaluation.h"
#include "mercer/plot/report_page.h"

namespace mercer {

// Names and values as they are shown.
using shown_figures = std::vector<std::pair<std::string, std::string>>;

struct evaluation_page {
    std::string title, about{};
    shown_figures data{};                   // what was read
    shown_figures choices{};                // of the fit
    std::string search_note{};              // what was searched; empty: nothing is known of a search
    shown_figures best{};                   // settings and their scores, the best first
    std::vector<report_figure> search{};    // the map of the scores
    std::vector<report_figure> pictures{};  // of the model on the data
    std::string judged{};                   // a word on which examples it was judged by
    std::string margins{};                  // of a machine, by margins_html; empty: none
};

std::string evaluation_html(const evaluation& all, const evaluation_page& page);
// The same page of a model that there is no judging: clusters, components, densities.
std::string model_html(const evaluation_page& page);

}  // namespace mercer
