// Inverse multiquadric: k(x, z) = 1/√(1 + ‖x-z‖²/c²), c > 0.
#pragma once

#include <cmath>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct inverse_multiquadric {
    double c = 1;

    static kernel_info info() {
        return {"inverse_multiquadric",
                {"imq"},
                "1/sqrt(1 + |x-z|^2/c^2)",
                object_kind::vectors,
                {{"c", "1", "c > 0", "width"}},
                "inverse multiquadric: a sum (integral) of Gaussians with non-negative weights, (1+t)^(-1/2) = ∫ "
                "e^(-s)·e^(-st)/√(πs) ds",
                true,
                {.stationary = true, .radial = true, .normalised = true}};
    }
    static inverse_multiquadric from(const mercer::arguments& given) { return {given.number("c", 1)}; }
    void check() const { require(c > 0 && std::isfinite(c), "inverse_multiquadric", "c > 0", c); }
    std::vector<argument> arguments() const { return {c}; }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::squared_distance;

    template <class R>
    R operator()(R squared_distance) const {
        using std::sqrt;
        return 1.0 / sqrt(1.0 + squared_distance / (c * c));
    }
};

}  // namespace mercer
