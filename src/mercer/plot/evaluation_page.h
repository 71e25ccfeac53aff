// The evaluation of a model as a self-contained HTML file: the data, the fit, the search, the metrics and pictures.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/metrics/evaluation.h"
#include "mercer/plot/report_page.h"

namespace mercer {

// Names and values as displayed.
using shown_figures = std::vector<std::pair<std::string, std::string>>;

struct evaluation_page {
    std::string title, about{};
    shown_figures data{};                   // description of the data
    shown_figures choices{};                // choices and summary of the fit
    std::string search_note{};              // description of the search; empty: unknown
    shown_figures best{};                   // settings and their scores, best first
    std::vector<report_figure> search{};    // map of the scores
    std::vector<report_figure> pictures{};  // pictures of the model on the data
    std::string evaluation_note{};          // note on the examples of the evaluation
    std::string margins{};                  // output of margins_html; empty: none
};

// Returns the HTML file.
std::string evaluation_html(const evaluation& all, const evaluation_page& page);
// Returns the HTML file for a model without an evaluation (clusters, components, densities): the page without metrics.
std::string model_html(const evaluation_page& page);

}  // namespace mercer
