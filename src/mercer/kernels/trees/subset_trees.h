// Subset trees (Collins, Duffy 2002): the inner product of the counts of all fragments of trees. A fragment is a
// connected part of a tree with at least one edge in which every node has either all of its children or none. It has
// the weight lambda^(number of its nodes with children):
//
//     k(x, z) = Σ over nodes v of x, w of z of C(v, w),
//     C(v, w) = lambda·Π over children c of v, d of w of (1 + C(c, d)) where v and w have the same label and their
//               children have the same labels in the same order, 0 otherwise and for leaves.
//
// At most O(nodes of x · nodes of z) for a pair of trees; in practice the number of pairs of nodes with equal labels
// and equal labels of their children (Moschitti 2006). Values grow exponentially with the size of equal trees; the
// evaluator throws if one overflows.
#pragma once

#include "mercer/data/trees.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct subset_trees {
    double lambda = 0.4;

    static kernel_info info() {
        return {"subset_trees",
                {"sst"},
                "sum over fragments f of trees of lambda^(inner nodes of f)*count_f(x)*count_f(z)",
                trees::kind,
                {{"lambda", "0.4", "0 < lambda <= 1", "weight factor per inner node of a fragment"}},
                "subset trees: the inner product of weighted counts of fragments",
                true,
                {}};
    }
    static subset_trees from(const mercer::arguments& given) { return {given.number("lambda", 0.4)}; }
    void check() const { require(lambda > 0 && lambda <= 1, "subset_trees", "0 < lambda <= 1", lambda); }
    std::vector<argument> arguments() const { return {lambda}; }
    static constexpr bool may_overflow = true;
    int emit(plan_builder& code) const;
};

}  // namespace mercer
