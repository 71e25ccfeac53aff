// Weisfeiler-Lehman optimal assignment kernel (Kriege, Giscard, Wilson 2016): the largest sum over a one-to-one
// assignment of the nodes of two graphs, where a pair of nodes contributes the number of depths 0 to h at which its
// Weisfeiler-Lehman colours agree. Colours of greater depth refine those of smaller depth, so the maximum is Σ over
// colours c of min(count_c(G), count_c(H)) (their theorem 2), and min(a, b) = Σ_t 1[t<=a]·1[t<=b] makes it an inner
// product of 0/1 features (colour, t).
#pragma once

#include "mercer/data/graphs.h"
#include "mercer/kernels/graphs/weisfeiler_lehman_colours.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct wl_assignment {
    int h = 3;
    int edges = 1;

    static kernel_info info() {
        return {"wl_assignment",
                {"wl_oa"},
                "sum over colours c of depth 0..h of min(count_c(G), count_c(H))",
                graphs::kind,
                {{"h", "3", "integer, h >= 0", "depth of the subtrees (number of iterations)"},
                 {"edges", "1", "edges = 0 or 1", "1: use the labels of edges; 0: ignore them"}},
                "Weisfeiler-Lehman optimal assignment: histogram intersection of counts of colours, an inner product "
                "of 0/1 features",
                true,
                {}};
    }
    static wl_assignment from(const mercer::arguments& given) { return {given.whole("h", 3), given.whole("edges", 1)}; }
    void check() const {
        require(h >= 0, "wl_assignment", "h >= 0", h);
        require(edges == 0 || edges == 1, "wl_assignment", "edges = 0 or 1", edges);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(h), static_cast<double>(edges)}; }
    named_embedding embedding() const { return colour_steps(h, edges == 1); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
