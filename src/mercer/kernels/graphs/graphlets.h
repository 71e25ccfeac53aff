// Graphlet kernel (Shervashidze, Vishwanathan, Petri, Mehlhorn, Borgwardt 2009): the inner product of the numbers of
// induced subgraphs of k nodes, connected or not, by isomorphism class: 4 classes for k = 3, 11 for k = 4. The counts
// are exact and follow from the numbers of wedges, triangles, cycles and cliques (Ahmed, Neville, Rossi, Duffield
// 2015): O(Σ degree² + cliques). frequencies=1 divides them by the number of sets of k nodes, as the paper does, so
// that graphs of different sizes are comparable; frequencies=0 does not. A graph of fewer than k nodes is the zero
// vector. Directions, labels, loops and parallel edges are ignored. Graphs have at most 50,000 nodes.
#pragma once

#include "mercer/data/graphs.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

// Returns the embedding of graphs as the numbers of their induced subgraphs of k nodes by isomorphism class or, with
// `frequencies`, as fractions of all sets of k nodes; classes are in ascending order of the number of edges.
named_embedding graphlet_counts(int k, bool frequencies);

struct graphlets {
    int k = 3;
    int frequencies = 1;

    static kernel_info info() {
        return {"graphlets",
                {},
                "sum over graphs g of k nodes of f_g(G)*f_g(H), f_g the fraction of induced subgraphs that equal g",
                graphs::kind,
                {{"k", "3", "k = 3 or 4", "number of nodes of the subgraphs"},
                 {"frequencies", "1", "frequencies = 0 or 1", "1: fractions of the subgraphs; 0: counts"}},
                "graphlets: the inner product of counts of induced subgraphs",
                true,
                {}};
    }
    static graphlets from(const mercer::arguments& given) {
        return {given.whole("k", 3), given.whole("frequencies", 1)};
    }
    void check() const {
        require(k == 3 || k == 4, "graphlets", "k = 3 or 4", k);
        require(frequencies == 0 || frequencies == 1, "graphlets", "frequencies = 0 or 1", frequencies);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(k), static_cast<double>(frequencies)}; }
    named_embedding embedding() const { return graphlet_counts(k, frequencies == 1); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
