// The pictures of a whole classifier that go into its report.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/inspection/decision_grid.h"
#include "mercer/plot/report_page.h"

namespace mercer {

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
