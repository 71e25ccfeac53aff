// Layout of graphs by stress majorisation (Gansner, Koren, North 2004): distances in the drawing approximate distances
// in edges. The start is fixed, so the layout is deterministic.
#pragma once

#include <vector>

#include "mercer/data/graphs.h"

namespace mercer {

struct layout_point {
    double x = 0, y = 0;
};
// Positions of the nodes around (0, 0), with edges of length about 1. Graphs of more than 500 nodes are drawn on a
// circle.
std::vector<layout_point> graph_layout(const graph& g);

}  // namespace mercer
