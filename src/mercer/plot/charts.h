// Histograms and convergence curves.
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

}  // namespace mercer
