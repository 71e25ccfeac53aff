// Graph kernels: values computed by hand, and invariance to renumbering the nodes.
#include <algorithm>
#include <numeric>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "kernels/value_of.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/graphs/random_walk.h"

namespace mercer::testing {
namespace {

graph made_of(index nodes, const std::vector<std::pair<int, int>>& edges, std::vector<std::int64_t> labels = {}) {
    graph_parts parts{.nodes = nodes, .labels = std::move(labels)};
    for (const auto& [a, b] : edges) parts.edges.push_back({a, b, 0});
    return graph(parts);
}

graph path3() { return made_of(3, {{0, 1}, {1, 2}}); }
graph cycle(int n) {
    std::vector<std::pair<int, int>> edges;
    for (int v = 0; v < n; ++v) edges.emplace_back(v, (v + 1) % n);
    return made_of(n, edges);
}
graph complete(int n) {
    std::vector<std::pair<int, int>> edges;
    for (int v = 0; v < n; ++v)
        for (int w = 0; w < v; ++w) edges.emplace_back(v, w);
    return made_of(n, edges);
}

graph_parts renamed(const graph_parts& g, generator& random) {
    std::vector<std::int32_t> to(static_cast<std::size_t>(g.nodes));
    std::iota(to.begin(), to.end(), 0);
    std::shuffle(to.begin(), to.end(), random);
    graph_parts out = g;
    for (std::size_t v = 0; v < to.size(); ++v) {
        const auto w = static_cast<std::size_t>(to[v]);
        out.labels[w] = g.labels[v];
        for (std::size_t a = 0; a < 2; ++a) out.values[2 * w + a] = g.values[2 * v + a];
    }
    for (graph_edge& e : out.edges) {
        e = {to[static_cast<std::size_t>(e.from)], to[static_cast<std::size_t>(e.to)], e.label};
        if (!g.directed && below(random, 2)) std::swap(e.from, e.to);
    }
    std::shuffle(out.edges.begin(), out.edges.end(), random);
    return out;
}

TEST(graph_kernels, names_of_nodes_mean_nothing) {
    for (const auto& each : kernel_registry()) {
        if (each.info.kind != graphs::kind) continue;
        SCOPED_TRACE(each.info.name);
        for (const kernel_case& s : kernel_cases_of(each.info.name)) {
            generator random(3);
            const objects x = random_graphs(random, 40);
            objects z = x;
            for (object& one : z) one.graph = renamed(one.graph, random);
            const auto before = block_of(evaluator<double>(s.k, graphs_of(x))),
                       after = block_of(evaluator<double>(s.k, graphs_of(z)));
            for (index i = 0; i < 40; ++i)
                for (index j = 0; j < 40; ++j)
                    EXPECT_NEAR(before(i, j), after(i, j), each.info.name == "random_walk" ? 1e-12 * before(i, j) : 0);
        }
    }
}

TEST(graph_kernels, of_a_path_of_three) {
    // Depth 0: three equal nodes. Depth 1: two ends and a middle.
    EXPECT_EQ(value_of("wl(h=0)", path3(), path3()), 9);
    EXPECT_EQ(value_of("wl(h=1)", path3(), path3()), 9 + 4 + 1);
    EXPECT_EQ(value_of("wl(h=1)", path3(), cycle(3)), 9 + 3)
        << "the middle has two neighbours like every node of a cycle";
    EXPECT_EQ(value_of("wl_assignment(h=1)", path3(), path3()), 3 + 3);
    EXPECT_EQ(value_of("wl_assignment(h=1)", path3(), cycle(3)), 3 + 1);
    EXPECT_EQ(value_of("shortest_path()", path3(), path3()), 4 + 1) << "two pairs at distance 1, one at 2";
    EXPECT_EQ(value_of("shortest_path()", path3(), cycle(3)), 2 * 3);
    EXPECT_EQ(value_of("graphlets(k=3)", path3(), path3()), 1);
    EXPECT_EQ(value_of("graphlets(k=3)", path3(), cycle(3)), 0);
    EXPECT_EQ(value_of("vertex_histogram()", path3(), cycle(4)), 12);
    EXPECT_EQ(value_of("edge_histogram()", path3(), cycle(4)), 8);
}

// In regular graphs without labels all nodes have the same colour: Weisfeiler-Lehman refinement cannot distinguish
// these graphs.
TEST(graph_kernels, two_triangles_are_a_hexagon_to_colours_but_not_to_paths) {
    const graph triangles = made_of(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}});
    EXPECT_EQ(value_of("wl(h=4)", triangles, cycle(6)), 5 * 36);
    EXPECT_EQ(value_of("wl(h=4)", cycle(6), cycle(6)), 5 * 36);
    EXPECT_EQ(value_of("shortest_path()", triangles, cycle(6)), 6 * 6);
    EXPECT_EQ(value_of("shortest_path()", cycle(6), cycle(6)), 36 + 36 + 9);
}

TEST(graph_kernels, graphlets_of_cycles_and_complete_graphs) {
    // C5: five sets of three with two edges, five with one; every four nodes are a path.
    EXPECT_EQ(value_of("graphlets(k=3, frequencies=0)", cycle(5), cycle(5)), 25 + 25);
    EXPECT_EQ(value_of("graphlets(k=4, frequencies=0)", cycle(5), cycle(5)), 25);
    EXPECT_EQ(value_of("graphlets(k=4, frequencies=0)", complete(7), complete(6)), 35 * 15);
    EXPECT_EQ(value_of("graphlets(k=4)", complete(7), complete(6)), 1);
    EXPECT_EQ(value_of("graphlets(k=4)", complete(3), complete(6)), 0) << "fewer than four nodes";
}

// A product of complete graphs of two nodes is two edges: 4·Σ λ^s.
TEST(graph_kernels, random_walks_on_an_edge_are_a_geometric_series) {
    const graph edge = complete(2), node = made_of(1, {});
    for (const double lambda : {0.1, 0.5, 0.99})
        EXPECT_NEAR(value_of("random_walk(" + std::to_string(lambda) + ")", edge, edge), 4 / (1 - lambda),
                    1e-12 / (1 - lambda));
    EXPECT_EQ(value_of("random_walk(0.5)", node, node), 1);
    EXPECT_EQ(value_of("random_walk(0.5)", node, edge), 2);
    // In a product of regular graphs every node has the product of the degrees as its degree.
    EXPECT_NEAR(value_of("random_walk(0.05)", complete(5), cycle(9)), 45 / (1 - 0.05 * 4 * 2), 1e-11);
    // One edge from 0 to 1: all walks have length at most one.
    const graph arrow(graph_parts{.nodes = 2, .edges = {{0, 1, 0}}, .directed = true});
    EXPECT_DOUBLE_EQ(value_of("random_walk(0.25)", arrow, arrow), 4 + 0.25);
}

TEST(graph_kernels, random_walks_name_the_bound_of_lambda) {
    expect_error(errc::invalid_argument, "lambda must satisfy lambda < 1/(rho(G)*rho(H)) = 0.0625, got 0.0625",
                 [] { value_of("random_walk(0.0625)", complete(5), complete(5)); });
    expect_error(errc::invalid_argument, "lambda > 0", [] { kernel(random_walk{0}); });
    EXPECT_NEAR(value_of("random_walk(0.0624)", complete(5), complete(5)), 25 / (1 - 0.0624 * 16), 1e-7);
}

TEST(graph_kernels, labels_of_edges_count_where_asked) {
    const graph single(graph_parts{.nodes = 2, .edges = {{0, 1, 1}}}),
        twice(graph_parts{.nodes = 2, .edges = {{0, 1, 2}}});
    EXPECT_EQ(value_of("wl(h=1)", single, twice), 4);
    EXPECT_EQ(value_of("wl(h=1, edges=0)", single, twice), 8);
    EXPECT_EQ(value_of("edge_histogram()", single, twice), 0);
    EXPECT_EQ(value_of("shortest_path()", single, twice), 1);
    EXPECT_EQ(value_of("random_walk(0.5)", single, twice), 4) << "no step in common";
}

TEST(graph_kernels, loops_and_parallel_edges) {
    const graph plain = made_of(2, {{0, 1}}), loop = made_of(2, {{0, 1}, {0, 0}});
    const graph parallel(graph_parts{.nodes = 2, .edges = {{0, 1, 0}, {0, 1, 3}}});
    EXPECT_EQ(value_of("wl(h=1)", plain, loop), 4 + 2) << "the node with a loop has two neighbours";
    for (const char* k : {"shortest_path()", "graphlets()"})
        for (const graph& other : {loop, parallel})
            EXPECT_EQ(value_of(k, plain, other), value_of(k, plain, plain)) << k;
    EXPECT_EQ(value_of("wl(h=1, edges=0)", plain, parallel), 4) << "an edge of each label";
}

TEST(graph_kernels, nothing_and_isolated_nodes) {
    const graph nothing, isolated = made_of(3, {}), one = made_of(1, {});
    for (const char* k : {"wl()", "wl_assignment()", "shortest_path()", "graphlets()", "graphlets(k=4)",
                          "vertex_histogram()", "edge_histogram()", "vertex_edge_histogram()", "random_walk()"}) {
        EXPECT_EQ(value_of(k, nothing, nothing), 0) << k;
        EXPECT_EQ(value_of(k, nothing, path3()), 0) << k;
    }
    EXPECT_EQ(value_of("wl(h=2)", isolated, one), 9);
    EXPECT_EQ(value_of("shortest_path()", isolated, isolated), 0);
    EXPECT_EQ(value_of("graphlets(k=3, frequencies=0)", isolated, isolated), 1);
    EXPECT_EQ(value_of("random_walk()", isolated, isolated), 9);
}

TEST(graph_kernels, propagation_needs_attributes) {
    expect_error(errc::data, "propagation: every node needs the same number of attributes",
                 [] { value_of("propagation()", path3(), path3()); });
}

TEST(graph_kernels, refuse_other_objects) {
    EXPECT_THROW(pair_value(kernel::parse("wl()"), strings({"a"}), strings({"a"})), error);
}

}  // namespace
}  // namespace mercer::testing
