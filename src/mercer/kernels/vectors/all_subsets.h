// All-subsets product: k(x, z) = ∏ₐ (1 + xₐzₐ). Its features are the 2^d monomials ∏_{a∈S} xₐ, S a set of
// coordinates.
#pragma once

#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct all_subsets {
    static kernel_info info() {
        return {"all_subsets",
                {},
                "prod (1 + x_a*z_a)",
                object_kind::vectors,
                {},
                "all subsets: the product over the features of 1 + xₐzₐ, each a sum of two kernels",
                true,
                {}};
    }
    static all_subsets from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }

    static constexpr pair_statistic statistic = pair_statistic::product;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }

    expansion expand(expansion_builder& build) const { return build.subsets(); }
};

}  // namespace mercer
