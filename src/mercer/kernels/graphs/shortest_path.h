// Shortest-path kernel (Borgwardt, Kriegel 2005) with the Dirac kernel on labels and lengths: the inner product of the
// counts of (label of u, label of v, length of the shortest path in edges) over all pairs of nodes u ≠ v that a path
// connects. Pairs are unordered in an undirected graph and ordered in a directed graph. Loops, edge labels and parallel
// edges have no effect. A breadth-first search from every node takes O(nodes·edges) for a graph.
#pragma once

#include "mercer/data/graphs.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

named_embedding shortest_path_counts();

struct shortest_path {
    static kernel_info info() {
        return {"shortest_path",
                {},
                "sum over t = (label, label, distance) of n_t(G)*n_t(H), n_t the number of such pairs of nodes",
                graphs::kind,
                {},
                "shortest paths: the inner product of counts of labelled distances",
                true,
                {}};
    }
    static shortest_path from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    named_embedding embedding() const { return shortest_path_counts(); }
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
