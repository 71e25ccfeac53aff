// A margin report as a self-contained HTML file: no network, no scripts, pictures as inline SVG, light or dark by the
// setting of the reader. The page is also well-formed XML.
//
// Example:
//
//     #include <mercer/methods/svm/fit_svm.h>
//
//     const table data = read_table("data/heart_scale.svm");
//     const svm_model m = fit_svm(gaussian{0.1}, data.x, data.y, svm_options{});
//     const margin_report report = report_margins(m, data.x, data.y);
//     const report_page page{.title = "heart_scale", .regions = classifier_pictures(m, data.x, data.y, report)};
//     write_atomically("report.html", report_html(report, {.data = "heart_scale.svm"}, page));
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
    std::vector<convergence_point> convergence;  // convergence on the first problem; empty: not recorded
    std::vector<explained_decision> decisions;
};

// Returns the HTML file.
std::string report_html(const margin_report& report, const report_subject& about, const report_page& page);
// The binary problems of the report as a part of another page: numbers, cases, conditions, examples.
std::string margins_html(const margin_report& report, const report_subject& about);
// A page with pictures and captions, without a report.
std::string pictures_html(const std::string& title, const std::string& about,
                          const std::vector<report_figure>& figures);

// Histograms of the nonzero ξ and of α/C of the support vectors (α with a hard margin), by side of the margin.
svg slack_figure(const margin_problem& p);
svg alpha_figure(const margin_problem& p);

// The pictures of a whole classifier for its report.

struct picture_options {
    std::optional<std::pair<index, index>>
        pair;  // features of the plane; none: the pair along which the classes are best separated
    other_features rest = other_features::mean;
    std::vector<std::string> feature_names;
};

// For vectors: the regions over two features. Unless these are all features, and for other objects: the plane of the
// first two principal components in feature space. x and y are the training examples; support_rows of the model are
// rows of x.
std::vector<report_figure> classifier_pictures(const svm_model& model, const dataset& x, std::span<const double> y,
                                               const margin_report& report, const picture_options& options = {});

}  // namespace mercer
