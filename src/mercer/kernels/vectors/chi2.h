// Exponential χ²: k(x, z) = exp(-γ Σ (xₐ-zₐ)²/(xₐ+zₐ)) on non-negative vectors (histograms); 0/0 = 0; γ > 0.
#pragma once

#include <cmath>

#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct chi2 {
    double gamma = 1;

    static kernel_info info() {
        return {"chi2",
                {},
                "exp(-gamma*sum (x_a-z_a)^2/(x_a+z_a)), x, z >= 0",
                object_kind::vectors,
                {{"gamma", "1", "gamma > 0", "inverse width"}},
                "χ²: d = Σ(x-z)²/(x+z) is conditionally negative definite for x, z >= 0, so e^(-γd) is a kernel "
                "(Schoenberg)",
                true,
                {.stationary = false, .radial = false, .normalised = true}};
    }
    static chi2 from(const mercer::arguments& given) { return {given.number("gamma", 1)}; }
    void check() const { require(gamma > 0 && std::isfinite(gamma), "chi2", "gamma > 0", gamma); }
    std::vector<argument> arguments() const { return {gamma}; }
    mercer::embedding embedding() const { return non_negative("chi2"); }

    static constexpr pair_statistic statistic = pair_statistic::chi2;
    static constexpr map_input input = map_input::value;

    template <class R>
    R operator()(R distance) const {
        using std::exp;
        return exp(-gamma * distance);
    }
};

}  // namespace mercer
