// An SVG page that compares the convergence of solvers on one problem: (J - J*)/J* over seconds, both on a logarithmic
// scale, a line for each solver.
#pragma once

#include <string>
#include <vector>

#include "mercer/methods/svm/svm_solvers.h"

namespace mercer {

// The trace of a solver.
struct convergence_line {
    std::string name;
    std::vector<trace_point> points;  // trace of one binary problem, sorted by time
};

// `best` is J*, the smallest known objective. Points within 1e-8 of J* lie on the lowest line.
std::string convergence_picture(const std::string& title, const std::string& subtitle,
                                const std::vector<convergence_line>& lines, double best);

}  // namespace mercer
