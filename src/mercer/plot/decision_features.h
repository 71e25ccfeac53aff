// A decision in terms of features, drawn: the string, text or graph with its letters or nodes coloured by their share
// of the decision, and the largest shares as bars.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/graphs.h"
#include "mercer/inspection/explanation.h"
#include "mercer/plot/svg.h"

namespace mercer {

struct feature_picture_words {
    std::string title, subtitle;
    std::string positive, negative;  // what shares above and below zero speak for
};
// `object`: object `row` of it is the one the decision is about. Objects without places are bars alone.
svg feature_picture(const dataset& objects, index row, const decision_shares& decision,
                    const feature_picture_words& words);

// Where the nodes of a graph are drawn: distances on paper as near to distances in edges as can be (stress
// majorisation, Gansner, Koren, North 2004), from a fixed start, so that the same graph always looks the same.

struct layout_point {
    double x = 0, y = 0;
};
// In a square around (0, 0), distances in edges; graphs of more than 500 nodes lie on a circle.
std::vector<layout_point> graph_layout(const graph& g);

}  // namespace mercer
