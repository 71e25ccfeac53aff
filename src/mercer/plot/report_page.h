// A margin report as one HTML file that needs nothing else: no network, no script; pictures are inline SVG; light or
// dark as the reader's screen is. The page is also well-formed XML.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/inspection/decision_grid.h"
#include "mercer/inspection/margin_report.h"
#include "mercer/inspection/margin_report_text.h"
#include "mercer/plot/charts.h"
#include "mercer/plot/svg.h"

namespace mercer {

struct report_figure {
    svg picture;
    std::string caption;
};

struct report_page {
    std::string title;
    std::vector<report_figure> regions;          // pictures of the whole classifier
    std::vector<convergence_point> convergence;  // of the first problem; empty: not recorded
    std::vector<explained_decision> decisions;
};

std::string report_html(const margin_report& report, const report_subject& about, const report_page& page);
// Its binary problems alone, as a part of another page: numbers, cases, conditions, examples.
std::string margins_html(const margin_report& report, const report_subject& about);
// Pictures and a few words, for those who want no more: the same frame without a report.
std::string pictures_html(const std::string& title, const std::string& about,
                          const std::vector<report_figure>& figures);

// ξ of all examples that have any, and α of the support vectors, by side of the margin.
svg slack_figure(const margin_problem& p);
svg alpha_figure(const margin_problem& p);

// The pictures of a whole classifier that go into its report.

struct picture_options {
    std::optional<std::pair<index, index>>
        pair;  // the two features to draw over; else those along which the classes lie farthest apart
    other_features rest = other_features::mean;
    std::vector<std::string> feature_names;
};

// Vectors: the regions over two features. Unless these are all there are, and for other objects: the plane of the first
// two principal components in feature space. x and y are the training examples, support_rows of the model rows of x.
std::vector<report_figure> classifier_pictures(const svm_model& model, const dataset& x, std::span<const double> y,
                                               const margin_report& report, const picture_options& options = {});

}  // namespace mercer
