// Global alignment of series (Cuturi 2011): the sum over all alignments of x and y (paths of pairs that advance in x,
// in y or in both) of the product of κ over their pairs, κ = g/(2-g) with the Gaussian g = e^(-‖a-b‖²/(2 sigma²)),
// normalised by √(k(x, x)·k(y, y)). O(|x|·|y|) for a pair.
//
// Why it is a kernel: κ/(1+κ) = g/2 is one, so κ is geometrically divisible (Cuturi 2011, theorem 1).
// Sums are computed with exponents of 64 bits (wide_number.h), so no length of a series and no sigma overflows.
#pragma once

#include <cmath>

#include "mercer/data/series.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct global_alignment {
    double sigma = 1;

    static kernel_info info() {
        return {
            "global_alignment",
            {"gak"},
            "sum over alignments of x and y of the product of g/(2-g), g = exp(-|x_i-y_j|^2/(2 sigma^2)), normalised",
            series::kind,
            {{"sigma", "1", "sigma > 0", "width of the Gaussian g that compares two values"}},
            "global alignment: positive definite because two values are compared by g/(2-g) (Cuturi 2011)",
            true,
            {.stationary = false, .radial = false, .normalised = true}};
    }
    static global_alignment from(const mercer::arguments& given) { return {given.number("sigma", 1)}; }
    void check() const { require(sigma > 0 && std::isfinite(sigma), "global_alignment", "sigma > 0", sigma); }
    std::vector<argument> arguments() const { return {sigma}; }
    int emit(plan_builder& code) const;
};

}  // namespace mercer
