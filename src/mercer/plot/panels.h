// Pictures of what was learned, as panels of pictures.h: objects in the plane, shares of variance, curves over a
// parameter.
//
//     write_atomically("pca.svg", picture_page("kernel_pca", "iris", {scatter_panel({scores, classes, names}),
//     scree_panel(m.explained_variance_ratio)}));
#pragma once

#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/plot/axes.h"

namespace mercer {

struct scatter {
    matrix<double> at;           // one row an object, the first two columns are drawn; one column: heights are 0
    std::vector<index> group{};  // the class or cluster of each object; empty: none
    std::vector<std::string> group_names{};
    std::vector<double> value{};  // instead of groups, a number that gives the colour
    std::string title = "Objects";
    std::string note{};
    std::string across = "first component", up = "second component";
    std::string value_name = "target";
};
panel scatter_panel(scatter points);
// Groups where y takes at most `most` values, else the values themselves.
void colour_by_target(scatter& points, const table& data, index most = 12);

// Shares of the variance, the largest first, and their sum so far.
panel scree_panel(std::vector<double> ratios);

struct curve {
    std::string name;
    std::vector<double> y;  // one for each x; what is not finite is left out
};
struct curves {
    std::vector<double> x;
    std::vector<curve> lines;
    index best = -1;  // place in x to mark; -1: none
    bool log_x = false;
    std::string title, note, across, up;
};
panel curves_panel(curves of);

}  // namespace mercer
