#include "mercer/kernels/graphs/graphlets.h"

#include <fmt/format.h>

#include <array>

#include "mercer/base/context.h"
#include "mercer/kernels/graphs/graph_features.h"

namespace mercer {
namespace {

using count = std::int64_t;
constexpr index max_nodes = 50'000;  // counts and their products below fit into 63 bits

count choose2(count n) { return n < 2 ? 0 : n * (n - 1) / 2; }
count choose3(count n) { return n < 3 ? 0 : choose2(n) * (n - 2) / 3; }
count choose4(count n) { return n < 4 ? 0 : choose3(n) / 4 * (n - 3) + choose3(n) % 4 * (n - 3) / 4; }

// The neighbours of each node in ascending order, in the graph without loops, parallel edges and directions.
std::vector<std::vector<std::int32_t>> simple_neighbours(const graph& g) {
    std::vector<std::vector<std::int32_t>> out(static_cast<std::size_t>(g.nodes()));
    for (index v = 0; v < g.nodes(); ++v)
        for (const std::int32_t w : g.neighbours(v)) {
            if (w == v) continue;
            out[static_cast<std::size_t>(v)].push_back(w);
            if (g.directed()) out[static_cast<std::size_t>(w)].push_back(static_cast<std::int32_t>(v));
        }
    for (auto& one : out) {
        std::ranges::sort(one);
        one.erase(std::unique(one.begin(), one.end()), one.end());
    }
    return out;
}

// The numbers of subgraphs of each shape, induced or not.
struct shapes {
    count nodes = 0, edges = 0, wedges = 0, triangles = 0;
    count stars = 0, paths = 0, paws = 0, cycles = 0, diamonds = 0, cliques = 0;  // of 4 nodes
};

class shape_counter {
public:
    shape_counter(const graph& g, bool four) : near_(simple_neighbours(g)), mark_(near_.size()), twice_(near_.size()) {
        out_.nodes = g.nodes();
        for (std::size_t v = 0; v < near_.size(); ++v) {
            const auto degree = static_cast<count>(near_[v].size());
            out_.edges += degree;
            out_.wedges += choose2(degree);
            out_.stars += choose3(degree);
        }
        out_.edges /= 2;
        cancellation_check stop_check;
        std::vector<count> corners(near_.size());  // twice the number of triangles at each node
        for (std::size_t v = 0; v < near_.size(); ++v) {
            for (const std::int32_t w : near_[v]) mark_[static_cast<std::size_t>(w)] = 1;
            for (const std::int32_t w : near_[v]) {
                stop_check.count(near_[v].size() + near_[static_cast<std::size_t>(w)].size());
                corners[v] += edge(v, static_cast<std::size_t>(w), four);
            }
            if (four) squares(v);
            for (const std::int32_t w : near_[v]) mark_[static_cast<std::size_t>(w)] = 0;
        }
        for (std::size_t v = 0; v < near_.size(); ++v) {
            out_.triangles += corners[v];
            out_.paws +=
                corners[v] / 2 * (static_cast<count>(near_[v].size()) - 2);  // corners[v] is 0 if the degree is below 2
        }
        out_.triangles /= 6;
        out_.paths -= 3 * out_.triangles;
        out_.cycles /= 2;
        out_.cliques /= 6;
    }
    const shapes& found() const { return out_; }

private:
    // Adds the counts of the edge v-w and returns the number of triangles that contain it.
    count edge(std::size_t v, std::size_t w, bool four) {
        common_.clear();
        for (const std::int32_t u : near_[w])
            if (mark_[static_cast<std::size_t>(u)]) common_.push_back(u);
        const auto triangles = static_cast<count>(common_.size());
        if (!four || w < v) return triangles;
        out_.paths += (static_cast<count>(near_[v].size()) - 1) * (static_cast<count>(near_[w].size()) - 1);
        out_.diamonds += choose2(triangles);
        for (std::size_t a = 0; a < common_.size(); ++a) {  // cliques with this edge; each clique has six edges
            const auto& next = near_[static_cast<std::size_t>(common_[a])];
            std::size_t k = 0;
            for (std::size_t b = a + 1; b < common_.size(); ++b) {
                while (k < next.size() && next[k] < common_[b]) ++k;
                out_.cliques += k < next.size() && next[k] == common_[b];
            }
        }
        return triangles;
    }
    // Adds the cycles of 4 nodes in which v is opposite a node u > v; each cycle is counted twice in all.
    void squares(std::size_t v) {
        touched_.clear();
        for (const std::int32_t w : near_[v])
            for (const std::int32_t u : near_[static_cast<std::size_t>(w)])
                if (static_cast<std::size_t>(u) > v && twice_[static_cast<std::size_t>(u)]++ == 0)
                    touched_.push_back(u);
        for (const std::int32_t u : touched_) {
            out_.cycles += choose2(twice_[static_cast<std::size_t>(u)]);
            twice_[static_cast<std::size_t>(u)] = 0;
        }
    }

    std::vector<std::vector<std::int32_t>> near_;
    std::vector<char> mark_;
    std::vector<count> twice_;
    std::vector<std::int32_t> common_, touched_;
    shapes out_;
};

// Induced subgraphs of 3 nodes with 0, 1, 2, 3 edges.
std::vector<count> induced3(const shapes& s) {
    const count three = s.triangles, two = s.wedges - 3 * three, one = s.edges * (s.nodes - 2) - 2 * two - 3 * three;
    return {choose3(s.nodes) - one - two - three, one, two, three};
}

// Induced subgraphs of 4 nodes, computed from 6 edges down to none: a subgraph that is not induced is part of an
// induced subgraph with more edges, and the factors are the numbers of subgraphs of the shape that it has.
std::vector<count> induced4(const shapes& s) {
    const count n = s.nodes, clique = s.cliques, diamond = s.diamonds - 6 * clique;
    const count cycle = s.cycles - diamond - 3 * clique;
    const count paw = s.paws - 4 * diamond - 12 * clique;
    const count path = s.paths - 4 * cycle - 2 * paw - 6 * diamond - 12 * clique;
    const count star = s.stars - paw - 2 * diamond - 4 * clique;
    const count triangle = s.triangles * (n - 3) - paw - 2 * diamond - 4 * clique;
    const count apart = choose2(s.edges) - s.wedges - path - 2 * cycle - paw - 2 * diamond - 3 * clique;
    const count wedge =
        s.wedges * (n - 3) - 3 * triangle - 3 * star - 2 * path - 4 * cycle - 5 * paw - 8 * diamond - 12 * clique;
    const count edge = s.edges * choose2(n - 2) - 2 * apart - 2 * wedge - 3 * (triangle + star + path) -
                       4 * (cycle + paw) - 5 * diamond - 6 * clique;
    const count none = choose4(n) - edge - apart - wedge - triangle - star - path - cycle - paw - diamond - clique;
    return {none, edge, apart, wedge, triangle, star, path, cycle, paw, diamond, clique};
}

constexpr const char* shapes3[] = {"3 nodes apart", "an edge and a node", "wedge", "triangle"};
constexpr const char* shapes4[] = {
    "4 nodes apart", "an edge and 2 nodes", "2 edges apart", "wedge and a node", "triangle and a node", "star of 4",
    "path of 4",     "cycle of 4",          "paw",           "diamond",          "clique of 4"};

}  // namespace

named_embedding graphlet_counts(int k, bool frequencies) {
    const std::string key = fmt::format("graphlets {} {}", k, frequencies ? "shares" : "counts");
    return {key, [=](const dataset& x, const dataset* z) {
                const joined_graphs all(x, z, key);
                const index dims = k == 3 ? 4 : 11;
                matrix<double> made(all.size(), dims);
                parallel_for(all.size(), [&](index i) {
                    const graph& g = all[i];
                    if (g.nodes() > max_nodes)
                        fail(errc::unsupported, fmt::format("graphlets: a graph must have at most {} nodes, got {}",
                                                            max_nodes, g.nodes()));
                    if (g.nodes() < k) return;
                    const shapes found = shape_counter(g, k == 4).found();
                    const auto counts = k == 3 ? induced3(found) : induced4(found);
                    const auto whole =
                        static_cast<double>(frequencies ? (k == 3 ? choose3(g.nodes()) : choose4(g.nodes())) : 1);
                    for (index c = 0; c < dims; ++c)
                        made(i, c) = static_cast<double>(counts[static_cast<std::size_t>(c)]) / whole;
                });
                const auto part = [&](index first, index size) {
                    matrix<double> rows(size, dims);
                    std::copy_n(made.row(first), size * dims, rows.data());
                    return dataset(dense<double>(std::move(rows)));
                };
                named_rows out{part(0, x.size()), z ? part(x.size(), z->size()) : dataset()};
                out.name = [k](index c, const known_names&) { return std::string((k == 3 ? shapes3 : shapes4)[c]); };
                return out;
            }};
}

}  // namespace mercer
