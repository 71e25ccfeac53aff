// Histograms and convergence curves.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/plot/pictures.h"
#include "mercer/plot/svg.h"

namespace mercer {

struct histogram {
    double low = 0, high = 1;
    std::vector<index> counts;  // of bins of equal width; the last one holds `high` too
    static histogram of(std::span<const double> values, double low, double high, index bins);
};
struct chart_line {
    double at = 0;
    std::string name;
};
// Two groups on top of each other in the colours of classes 0 and 1, lines across where `marks` are.
svg histogram_figure(const std::string& title, const std::string& note, const std::string& x_name,
                     const histogram& first, const histogram& second, const std::string& first_name,
                     const std::string& second_name, const std::vector<chart_line>& marks = {});

// How far a solver was after so many steps.
struct convergence_point {
    std::int64_t steps = 0;
    double seconds = 0;
    double gap = 0;
    double objective = 0;
    bool has_objective = false;  // what progress callbacks are told does not hold it
};
// Keeps what a fit tells its progress callback about one binary problem; goes into svm_options.progress, before what is
// there.
std::function<bool(const svm_progress&)> recording(std::vector<convergence_point>& into, index problem = 0,
                                                   std::function<bool(const svm_progress&)> then = {});
// The curve of a fit too short to be watched: it is fitted again with at most 1, 2, 4, … steps until it has ended.
// Costs about two fits.
std::vector<convergence_point> retrace(const gram<float>& fast, const gram<double>& exact, std::span<const double> y,
                                       svm_options options, index problem = 0);
svg convergence_figure(const std::string& title, std::span<const convergence_point> points);

// Pictures of what was learned, as panels of pictures.h: objects in the plane, shares of variance, curves over a
// parameter.
//
//     write_atomically("pca.svg", picture_page("kernel_pca", "iris", {scatter_panel({scores, classes, names}),
//     scree_panel(m.explained_variance_ratio)}));

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
