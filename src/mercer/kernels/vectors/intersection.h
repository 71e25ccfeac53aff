// Histogram intersection: k(x, z) = Σ min(xₐ, zₐ) on non-negative vectors.
#pragma once

#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct intersection {
    static kernel_info info() {
        return {"intersection",
                {"min"},
                "sum min(x_a, z_a), x, z >= 0",
                object_kind::vectors,
                {},
                "histogram intersection: min(a, b) = ∫ 1[t<=a]·1[t<=b] dt for a, b >= 0, summed over the features",
                true,
                {}};
    }
    static intersection from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    mercer::embedding embedding() const { return non_negative("intersection"); }

    static constexpr pair_statistic statistic = pair_statistic::min_sum;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
