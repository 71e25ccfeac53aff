// Subtrees (Vishwanathan, Smola 2002): the inner product of the counts of complete subtrees, each a node with all of
// its descendants: Σ over pairs of equal subtrees of lambda^(number of their nodes with children). Single leaves do not
// count. The features are the texts of the subtrees, O(nodes·depth) for a tree.
#pragma once

#include <cmath>

#include "mercer/data/trees.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct subtrees {
    double lambda = 1;

    static kernel_info info() {
        return {"subtrees",
                {},
                "sum over trees t of lambda^(inner nodes of t)*count_t(x)*count_t(z), count_t the number of complete "
                "subtrees equal to t",
                trees::kind,
                {{"lambda", "1", "0 < lambda <= 1", "weight factor per inner node of a subtree"}},
                "subtrees: the inner product of weighted counts of subtrees",
                true,
                {}};
    }
    static subtrees from(const mercer::arguments& given) { return {given.number("lambda", 1)}; }
    void check() const { require(lambda > 0 && lambda <= 1, "subtrees", "0 < lambda <= 1", lambda); }
    std::vector<argument> arguments() const { return {lambda}; }
    named_embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
