// Pictures of class regions: the regions in the colours of their classes, more opaque farther from the boundary; f = 0
// as a solid line, f = ±1 dashed; the examples as dots, support vectors with a ring.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/inspection/decision_grid.h"
#include "mercer/inspection/margin_report.h"
#include "mercer/plot/svg.h"

namespace mercer {

// The class of every training example, and its largest alpha_case over the binary problems.
struct example_marks {
    std::vector<index> of_class;
    std::vector<alpha_case> kind;
};
// Marks from the model alone: an example has α = C if its α reaches model.C, or the largest α if the model does not
// store C.
example_marks mark_examples(const svm_model& model, std::span<const double> y);
// Marks from a margin report, which contains the C of every example.
example_marks mark_examples(const svm_model& model, std::span<const double> y, const margin_report& report);

// Draws the regions into the square of side `size` pixels with its upper left corner at (left, top), without axes.
void draw_regions(svg& page, double left, double top, double size, const svm_model& model, const plane& on,
                  const region_grid& grid, const example_marks& marks);
// A picture with axes and legend.
svg region_figure(const std::string& title, const svm_model& model, const plane& on, const example_marks& marks);

// A small picture in a row.
struct region_tile {
    std::string caption;  // e.g. "C = 10"
    svm_model model;
    plane on;
    example_marks marks;
    double accuracy = 0;  // accuracy on the shown examples
    index support = 0;
    std::string warning;  // a warning, or the reason why there is no model
    bool has_model = true;
};
struct region_sequence {
    std::string title;  // e.g. "RBF kernel, γ growing (C = 1)"
    std::vector<region_tile> tiles;
};
// A page with rows of small pictures and a legend.
svg sequences_figure(const std::string& title, const std::string& subtitle, const std::vector<region_sequence>& rows);

}  // namespace mercer
