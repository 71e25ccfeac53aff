// Rational quadratic: k(x, z) = (1 + ‖x-z‖²/(2αℓ²))^(-α), α > 0, ℓ > 0: a mixture of Gaussians over all widths.
#pragma once

#include <cmath>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct rational_quadratic {
    double alpha = 1;
    double length_scale = 1;

    static kernel_info info() {
        return {"rational_quadratic",
                {},
                "(1 + |x-z|^2/(2*alpha*length_scale^2))^-alpha",
                object_kind::vectors,
                {{"alpha", "1", "alpha > 0", "shape: the smaller, the heavier the tails"},
                 {"length_scale", "1", "length_scale > 0", "width: the unit in which distances are measured"}},
                "rational quadratic: an integral of Gaussians with non-negative weights, the gamma density",
                true,
                {.stationary = true, .radial = true, .normalised = true}};
    }
    static rational_quadratic from(const mercer::arguments& given) {
        return {given.number("alpha", 1), given.number("length_scale", 1)};
    }
    void check() const {
        require(alpha > 0 && std::isfinite(alpha), "rational_quadratic", "alpha > 0", alpha);
        require(length_scale > 0 && std::isfinite(length_scale), "rational_quadratic", "length_scale > 0",
                length_scale);
    }
    std::vector<argument> arguments() const { return {alpha, length_scale}; }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::squared_distance;

    template <class R>
    R operator()(R squared_distance) const {
        using std::exp, std::log1p;
        // The limit keeps t finite, which the SIMD log1p requires.
        const R t = at_most(R(squared_distance / (2 * alpha * length_scale * length_scale)), 1e308);
        return exp(-alpha * R(log1p(t)));
    }
};

}  // namespace mercer
