// Panels for unsupervised methods and searches: objects in the plane, shares of variance, curves over a parameter.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const kernel_pca_model m = fit_kernel_pca(gaussian{0.1}, iris.x, {.n_components = 5});
//     scatter points{.at = m.scores};
//     colour_by_target(points, iris);
//     write_atomically("pca.svg", picture_page("kernel_pca", "iris",
//                                              {scatter_panel(points), scree_panel(m.explained_variance_ratio)}));
#pragma once

#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/plot/axes.h"

namespace mercer {

// Points in the plane and their colours.
struct scatter {
    matrix<double> at;  // a row for each object; the first two columns are drawn, with heights 0 if there is one column
    std::vector<index> group{};  // class or cluster of each object; empty: none
    std::vector<std::string> group_names{};
    std::vector<double> value{};  // instead of groups: values that determine the colours
    std::string title = "Objects";
    std::string note{};
    std::string across = "first component", up = "second component";
    std::string value_name = "target";
};
// Returns the panel that draws the points.
panel scatter_panel(scatter points);
// Colours the points by target: groups if y has at most `most` different values or class names, otherwise values.
void colour_by_target(scatter& points, const table& data, index most = 12);

// Shares of the variance, largest first, and their cumulative sum.
panel scree_panel(std::vector<double> ratios);

struct curve {
    std::string name;
    std::vector<double> y;  // a value for each x; values that are not finite are left out
};
// Curves over one parameter.
struct curves {
    std::vector<double> x;
    std::vector<curve> lines;
    index best = -1;  // position in x to mark; -1: none
    bool log_x = false;
    std::string title, note, across, up;
};
// Returns the panel that draws the curves.
panel curves_panel(curves of);

}  // namespace mercer
