// k(x, y) = e^(-gamma·d), d the dynamic time warping distance (Sakoe and Chiba 1978): the minimum of Σ ‖xᵢ-yⱼ‖² over
// all alignments of x and y (paths of pairs that advance in x, in y or in both). It is not positive semidefinite in
// general (Cuturi et al. 2007). O(|x|·|y|) for a pair.
#pragma once

#include <cmath>

#include "mercer/data/series.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct time_warp {
    double gamma = 1;

    static kernel_info info() {
        return {"time_warp",
                {"dtw"},
                "exp(-gamma*(smallest sum of |x_i-y_j|^2 over an alignment of x and y))",
                series::kind,
                {{"gamma", "1", "gamma > 0", "how fast the kernel decreases with the distance"}},
                "no rule: the time warping distance is not conditionally negative definite, so exp(-gamma*distance) "
                "need not be a kernel",
                false,
                {.stationary = false, .radial = false, .normalised = true}};
    }
    static time_warp from(const mercer::arguments& given) { return {given.number("gamma", 1)}; }
    void check() const { require(gamma > 0 && std::isfinite(gamma), "time_warp", "gamma > 0", gamma); }
    std::vector<argument> arguments() const { return {gamma}; }
    int emit(plan_builder& code) const;
};

}  // namespace mercer
