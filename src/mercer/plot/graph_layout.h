// Where the nodes of a graph are drawn: distances on paper as near to distances in edges as can be (stress
// majorisation, Gansner, Koren, North 2004), from a fixed start, so that the same graph always looks the same.
#pragma once

#include <vector>

#include "mercer/data/graphs.h"

namespace mercer {

struct layout_point {
    double x = 0, y = 0;
};
// In a square around (0, 0), distances in edges; graphs of more than 500 nodes lie on a circle.
std::vector<layout_point> graph_layout(const graph& g);

}  // namespace mercer
