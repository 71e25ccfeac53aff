// Subset trees (Collins, Duffy 2002): the inner product of the counts of all fragments of trees, a fragment being a
// node with its children, some of these with theirs, and so on: each node of it has all of its children or none.
// Fragments are weighted by lambda^(their nodes that have children):
//
//     k(x, z) = Σ over nodes v of x, w of z of C(v, w),
//     C(v, w) = lambda·Π over children c of v, d of w of (1 + C(c, d)) where v and w have the same label and their
//               children have the same labels in the same order, 0 otherwise and for leaves.
//
// O(nodes of x · nodes of z) a pair at most; as few as have children with the same labels in practice (Moschitti 2006).
// Values grow exponentially with the size of equal trees; those beyond the range of floating point are refused.
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
                trees::where,
                {{"lambda", "0.4", "0 < lambda <= 1", "weight of a fragment for each of its inner nodes"}},
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
