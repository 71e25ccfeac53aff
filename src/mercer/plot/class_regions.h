// Pictures of class regions: the regions in the colours of their classes, deeper the farther from the boundary; f = 0
// solid, f = ±1 dashed; the examples as dots, support vectors ringed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/inspection/decision_grid.h"
#include "mercer/inspection/margin_report.h"
#include "mercer/plot/svg.h"

namespace mercer {

// How the examples look: of every training example the class, and whether and how it is a support vector (of any binary
// problem).
struct example_marks {
    std::vector<index> of_class;
    std::vector<alpha_case> kind;
};
// From the model alone: α = C is told by model.C (or the largest α where it does not say).
example_marks mark_examples(const svm_model& model, std::span<const double> y);
// The same from a report of it, which knows the C of every example.
example_marks mark_examples(const svm_model& model, std::span<const double> y, const margin_report& report);

// Into the square with its upper left corner at (left, top), without axes.
void draw_regions(svg& page, double left, double top, double size, const svm_model& model, const plane& on,
                  const region_grid& grid, const example_marks& marks);
// One picture with axes and legend.
svg region_figure(const std::string& title, const svm_model& model, const plane& on, const example_marks& marks);

// One picture of a row of small ones.
struct region_tile {
    std::string caption;  // "C = 10"
    svm_model model;
    plane on;
    example_marks marks;
    double accuracy = 0;  // on the examples shown
    index support = 0;
    std::string trouble;  // "not converged", or why there is no model at all
    bool drawn = true;
};
struct region_sequence {
    std::string title;  // "RBF kernel, γ growing (C = 1)"
    std::vector<region_tile> tiles;
};
// Rows of small pictures on one page, with a legend below.
svg sequences_figure(const std::string& title, const std::string& subtitle, const std::vector<region_sequence>& rows);

}  // namespace mercer
