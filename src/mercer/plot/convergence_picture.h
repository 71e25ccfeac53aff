// How fast solvers approach the optimum of one problem: (J - J*)/J* over seconds, both logarithmic, one line a solver,
// as an SVG page.
#pragma once

#include <string>
#include <vector>

#include "mercer/methods/svm/svm_solvers.h"

namespace mercer {

// One solver on one problem.
struct convergence_line {
    std::string name;
    std::vector<trace_point> points;  // of one binary problem, in time
};

// `best`: J*, the least objective known. Points that have reached it within 1e-8 lie on the lowest line.
std::string convergence_picture(const std::string& title, const std::string& subtitle,
                                const std::vector<convergence_line>& lines, double best);

}  // namespace mercer
