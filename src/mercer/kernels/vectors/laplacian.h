// Laplacian: k(x, z) = exp(-γ Σ|xₐ-zₐ|), γ > 0.
#pragma once

#include <cmath>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct laplacian {
    double gamma = 1;

    static kernel_info info() {
        return {"laplacian",
                {},
                "exp(-gamma*sum|x_a-z_a|)",
                object_kind::vectors,
                {{"gamma", "1", "gamma > 0", "inverse width"}},
                "Laplacian: the product over the features of e^(-γ|t|), the Fourier transform of the positive "
                "Cauchy density (Bochner)",
                true,
                {.stationary = true, .radial = false, .normalised = true}};
    }
    static laplacian from(const mercer::arguments& given) { return {given.number("gamma", 1)}; }
    void check() const { require(gamma > 0 && std::isfinite(gamma), "laplacian", "gamma > 0", gamma); }
    std::vector<argument> arguments() const { return {gamma}; }

    static constexpr pair_statistic statistic = pair_statistic::manhattan;
    static constexpr map_input input = map_input::value;

    template <class R>
    R operator()(R distance) const {
        using std::exp;
        return exp(-gamma * distance);
    }
};

}  // namespace mercer
