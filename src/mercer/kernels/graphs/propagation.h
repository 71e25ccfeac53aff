// Propagation kernel for attributes (Neumann, Garnett, Bauckhage, Kersting 2016): the attributes x_v of nodes are
// averaged over neighbours, x ← D⁻¹A x, and after each of 0 … t steps node v is assigned to the bin
// floor((uᵀx_v + b)/w), with u a vector of independent standard normal numbers and b uniform in (0, w), new ones for
// each step and the same for all graphs (locality-sensitive hashing for the Euclidean distance). The kernel is the
// inner product of the counts of (step, label of v, bin). The projections depend on the seed only. A node without edges
// keeps its attributes.
#pragma once

#include <cmath>

#include "mercer/data/graphs.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

// The counts of (step, label, bin). Throws errc::data unless all nodes of all graphs have the same number of
// attributes.
named_embedding propagated_bins(int t, double w, int seed);

struct propagation {
    int t = 3;
    double w = 1;
    int seed = 0;

    static kernel_info info() {
        return {"propagation",
                {},
                "sum over steps 0..t, labels and bins of count(G)*count(H)",
                graphs::kind,
                {{"t", "3", "integer, t >= 0", "number of propagation steps"},
                 {"w", "1", "w > 0", "width of a bin"},
                 {"seed", "0", "integer, seed >= 0", "random seed of the projections"}},
                "propagation: the inner product of counts of nodes in bins",
                true,
                {}};
    }
    static propagation from(const mercer::arguments& given) {
        return {given.whole("t", 3), given.number("w", 1), given.whole("seed", 0)};
    }
    void check() const {
        require(t >= 0, "propagation", "t >= 0", t);
        require(w > 0 && std::isfinite(w), "propagation", "w > 0", w);
        require(seed >= 0, "propagation", "seed >= 0", seed);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(t), w, static_cast<double>(seed)}; }
    named_embedding embedding() const { return propagated_bins(t, w, seed); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
