// Histograms of labels (Sugiyama, Borgwardt 2015): inner products of the counts of node labels, of edge labels, and of
// triples (node label, edge label, node label). An edge of an undirected graph counts once, and its ends have no order.
// A graph without labels has the label 0 everywhere; its histograms count nodes and edges.
#pragma once

#include "mercer/data/graphs.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

named_embedding node_label_counts();
named_embedding edge_label_counts();
named_embedding edge_triple_counts();  // (node label, edge label, node label)

struct vertex_histogram {
    static kernel_info info() {
        return {"vertex_histogram",
                {},
                "sum over labels l of nodes_l(G)*nodes_l(H)",
                graphs::kind,
                {},
                "vertex histogram: the inner product of counts of the labels of nodes",
                true,
                {}};
    }
    static vertex_histogram from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    named_embedding embedding() const { return node_label_counts(); }
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

struct edge_histogram {
    static kernel_info info() {
        return {"edge_histogram",
                {},
                "sum over labels l of edges_l(G)*edges_l(H)",
                graphs::kind,
                {},
                "edge histogram: the inner product of counts of the labels of edges",
                true,
                {}};
    }
    static edge_histogram from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    named_embedding embedding() const { return edge_label_counts(); }
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

struct vertex_edge_histogram {
    static kernel_info info() {
        return {"vertex_edge_histogram",
                {},
                "sum over (label, edge label, label) t of edges_t(G)*edges_t(H)",
                graphs::kind,
                {},
                "vertex-edge histogram: the inner product of counts of (label, edge label, label) of the edges",
                true,
                {}};
    }
    static vertex_edge_histogram from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    named_embedding embedding() const { return edge_triple_counts(); }
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
