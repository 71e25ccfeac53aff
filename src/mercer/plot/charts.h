// Charts with axes of their own: histograms of two groups, and the convergence of a solver.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/gram/gram.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/plot/svg.h"

namespace mercer {

struct histogram {
    double low = 0, high = 1;
    std::vector<index> counts;  // counts of bins of equal width; the last bin includes `high`
    static histogram of(std::span<const double> values, double low, double high, index bins);
};
struct chart_line {
    double at = 0;
    std::string name;
};
// Returns a stacked histogram of two groups in the colours of classes 0 and 1, with vertical lines at `marks`.
svg histogram_figure(const std::string& title, const std::string& note, const std::string& x_name,
                     const histogram& first, const histogram& second, const std::string& first_name,
                     const std::string& second_name, const std::vector<chart_line>& marks = {});

// The state of a solver after a number of steps.
struct convergence_point {
    std::int64_t steps = 0;
    double seconds = 0;
    double gap = 0;
    double objective = 0;
    bool has_objective = false;  // false if the point comes from a progress callback, which has no objective
};
// Returns a callback for svm_options.progress that appends the progress of one binary problem to `into`, which must
// outlive the callback, and then calls `then`.
std::function<bool(const svm_progress&)> record_progress(std::vector<convergence_point>& into, index problem = 0,
                                                         std::function<bool(const svm_progress&)> then = {});
// The convergence of a fit that is too short to be recorded by callbacks: fits with at most 1, 2, 4, … steps until a
// fit ends. Costs about two fits.
std::vector<convergence_point> trace_convergence(const gram<float>& fast, const gram<double>& exact,
                                                 std::span<const double> y, svm_options options, index problem = 0);
svg convergence_figure(const std::string& title, std::span<const convergence_point> points);

}  // namespace mercer
