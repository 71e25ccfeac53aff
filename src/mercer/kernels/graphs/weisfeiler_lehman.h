// Weisfeiler-Lehman subtree kernel (Shervashidze, Schweitzer, van Leeuwen, Mehlhorn, Borgwardt 2011): the inner product
// of the counts of all node colours of depths 0 to h. The colour of a node at depth 0 is its label. Its colour at depth
// d + 1 is the pair of its colour at depth d and the multiset of (edge label, colour at depth d) of its neighbours; in
// a directed graph, the neighbours are the nodes to which its edges lead.
#pragma once

#include "mercer/data/graphs.h"
#include "mercer/kernels/graphs/weisfeiler_lehman_colours.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct wl {
    int h = 3;
    int edges = 1;

    static kernel_info info() {
        return {"wl",
                {"weisfeiler_lehman"},
                "sum over colours c of depth 0..h of count_c(G)*count_c(H)",
                graphs::kind,
                {{"h", "3", "integer, h >= 0", "depth of the subtrees (number of iterations)"},
                 {"edges", "1", "edges = 0 or 1", "1: use the labels of edges; 0: ignore them"}},
                "Weisfeiler-Lehman subtrees: the inner product of counts of colours",
                true,
                {}};
    }
    static wl from(const mercer::arguments& given) { return {given.whole("h", 3), given.whole("edges", 1)}; }
    void check() const {
        require(h >= 0, "wl", "h >= 0", h);
        require(edges == 0 || edges == 1, "wl", "edges = 0 or 1", edges);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(h), static_cast<double>(edges)}; }
    named_embedding embedding() const { return colour_counts(h, edges == 1); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
