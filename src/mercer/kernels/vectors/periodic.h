// Periodic: k(x, z) = exp(-(2/ℓ²) Σₐ sin²(π(xₐ-zₐ)/p)), p > 0, ℓ > 0.
// The sine is applied to each coordinate (MacKay 1998): with ‖x-z‖ inside the sine, k is positive semidefinite only in
// one dimension.
#pragma once

#include <cmath>

#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/gaussian.h"

namespace mercer {

struct periodic {
    double length_scale = 1;
    double period = 1;

    static kernel_info info() {
        return {"periodic",
                {"exp_sine_squared"},
                "exp(-2/length_scale^2 * sum sin^2(pi*(x_a-z_a)/period))",
                object_kind::vectors,
                {{"length_scale", "1", "length_scale > 0", "width: the unit in which distances are measured"},
                 {"period", "1", "period > 0", "distance after which the kernel repeats itself"}},
                "periodic: the Gaussian pulled back by xₐ ↦ (cos 2πxₐ/p, sin 2πxₐ/p)",
                true,
                {.stationary = true, .radial = false, .normalised = true}};
    }
    static periodic from(const mercer::arguments& given) {
        return {given.number("length_scale", 1), given.number("period", 1)};
    }
    void check() const {
        require(length_scale > 0 && std::isfinite(length_scale), "periodic", "length_scale > 0", length_scale);
        require(period > 0 && std::isfinite(period), "periodic", "period > 0", period);
    }
    std::vector<argument> arguments() const { return {length_scale, period}; }
    mercer::embedding embedding() const { return circle_map(period); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::squared_distance;
    // The Gaussian of φ = circle_map(p): since ‖φ(x)-φ(z)‖² = 4 Σₐ sin²(π(xₐ-zₐ)/p), its γ is 1/(2ℓ²).
    gaussian map() const { return {1 / (2 * length_scale * length_scale)}; }
};

}  // namespace mercer
