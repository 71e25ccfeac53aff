// Linear: k(x, z) = xᵀz.
#pragma once

#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/gaussian.h"

namespace mercer {

struct linear {
    static kernel_info info() {
        return {"linear", {}, "x'z", object_kind::vectors, {}, "linear: the inner product of the vectors themselves",
                true,     {}};
    }
    static linear from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;

    // normalize(exp(c·k)) is the Gaussian exp(-c/2·‖x-z‖²).
    int emit_gaussian_of(plan_builder& code, double c) const { return emit_map(code, gaussian{c / 2}); }
    expansion expand(expansion_builder& build) const { return build.multinomial(1, 0, 1); }

    template <class R>
    R operator()(R dot) const {
        return dot;
    }
};

}  // namespace mercer
