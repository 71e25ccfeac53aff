// Reference implementations of the graph kernels by brute force.
#include <algorithm>
#include <numeric>

#include "contracts/kernel_contract.h"
#include "mercer/kernels/expression/all_kernels.h"

namespace mercer::testing {
namespace {

// The edges that leave each node, each once: (to, label). Undirected edges leave both ends.
using leaving = std::vector<std::set<std::pair<int, std::int64_t>>>;
leaving edges_of(const graph_parts& g) {
    leaving out(static_cast<std::size_t>(g.nodes));
    for (const graph_edge& e : g.edges) {
        out[static_cast<std::size_t>(e.from)].insert({e.to, e.label});
        if (!g.directed) out[static_cast<std::size_t>(e.to)].insert({e.from, e.label});
    }
    return out;
}

std::int64_t label_at(const graph_parts& g, std::size_t v) { return g.labels.empty() ? 0 : g.labels[v]; }

// The unfolded tree of depth h below a node, as text.
std::string unfolded(const graph_parts& g, const leaving& edges, std::size_t v, int h, bool edge_labels) {
    if (h == 0) return std::to_string(label_at(g, v));
    std::vector<std::string> around;
    for (const auto& [to, label] : edges[v])
        around.push_back(std::to_string(edge_labels ? label : 0) + ":" +
                         unfolded(g, edges, static_cast<std::size_t>(to), h - 1, edge_labels));
    std::sort(around.begin(), around.end());
    std::string out = unfolded(g, edges, v, h - 1, edge_labels) + "(";
    for (const auto& one : around) out += one + " ";
    return out + ")";
}

std::vector<std::vector<std::string>> all_unfolded(const object& x, int h, bool edge_labels) {
    const leaving edges = edges_of(x.graph);
    std::vector<std::vector<std::string>> out;  // node, depth
    for (std::size_t v = 0; v < static_cast<std::size_t>(x.graph.nodes); ++v) {
        out.emplace_back();
        for (int d = 0; d <= h; ++d) out.back().push_back(unfolded(x.graph, edges, v, d, edge_labels));
    }
    return out;
}

// Returns the number of depths at which two nodes have equal neighbourhoods.
int agreement(const std::vector<std::string>& u, const std::vector<std::string>& v) {
    int count = 0;
    for (std::size_t d = 0; d < u.size(); ++d) count += u[d] == v[d];
    return count;
}

approx wl_reference(const object& x, const object& z, int h, bool edge_labels) {
    approx sum;
    const auto left = all_unfolded(x, h, edge_labels), right = all_unfolded(z, h, edge_labels);
    for (const auto& u : left)
        for (const auto& v : right) sum.value += agreement(u, v);
    return sum;
}

// The best assignment of nodes of u to different partners or to none, by enumeration.
int best_assignment(const std::vector<std::vector<int>>& worth, std::size_t u, std::vector<bool>& taken) {
    if (u == worth.size()) return 0;
    int best = best_assignment(worth, u + 1, taken);
    for (std::size_t v = 0; v < taken.size(); ++v) {
        if (taken[v]) continue;
        taken[v] = true;
        best = std::max(best, worth[u][v] + best_assignment(worth, u + 1, taken));
        taken[v] = false;
    }
    return best;
}

approx assignment_reference(const object& x, const object& z, int h) {
    const auto left = all_unfolded(x, h, true), right = all_unfolded(z, h, true);
    std::vector<std::vector<int>> worth;
    for (const auto& u : left) {
        worth.emplace_back();
        for (const auto& v : right) worth.back().push_back(agreement(u, v));
    }
    std::vector<bool> taken(right.size());
    return {static_cast<long double>(best_assignment(worth, 0, taken)), 0};
}

using histogram = std::map<std::vector<std::int64_t>, std::int64_t>;
approx product_of(const histogram& a, const histogram& b) {
    approx sum;
    for (const auto& [word, count] : a)
        if (const auto found = b.find(word); found != b.end())
            sum.value += static_cast<long double>(count) * found->second;
    return sum;
}

// Lengths of shortest paths by the Floyd-Warshall algorithm.
histogram distances_of(const object& x) {
    const auto n = static_cast<std::size_t>(x.graph.nodes);
    constexpr int far = 1000;
    std::vector<std::vector<int>> d(n, std::vector<int>(n, far));
    const leaving edges = edges_of(x.graph);
    for (std::size_t v = 0; v < n; ++v)
        for (const auto& edge : edges[v]) d[v][static_cast<std::size_t>(edge.first)] = 1;
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
    histogram out;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            if (i == j || d[i][j] >= far || (!x.graph.directed && i > j)) continue;
            std::int64_t a = label_at(x.graph, i), b = label_at(x.graph, j);
            if (!x.graph.directed && a > b) std::swap(a, b);
            ++out[{a, b, d[i][j]}];
        }
    return out;
}

// Counts edges by the key that `word` returns; undirected edges are counted once.
template <class Word>
histogram edge_words(const object& x, Word word) {
    histogram out;
    const leaving edges = edges_of(x.graph);
    for (std::size_t v = 0; v < edges.size(); ++v)
        for (const auto& [to, label] : edges[v]) {
            if (!x.graph.directed && static_cast<std::size_t>(to) < v) continue;
            std::int64_t a = label_at(x.graph, v), b = label_at(x.graph, static_cast<std::size_t>(to));
            if (!x.graph.directed && a > b) std::swap(a, b);
            ++out[word(a, label, b)];
        }
    return out;
}

// Induced subgraphs of k nodes: the key is the smallest adjacency matrix over all node orders.
histogram graphlets_of(const object& x, std::size_t k) {
    const auto n = static_cast<std::size_t>(x.graph.nodes);
    std::vector<std::vector<int>> joined(n, std::vector<int>(n));
    for (const graph_edge& e : x.graph.edges)
        if (e.from != e.to)
            joined[static_cast<std::size_t>(e.from)][static_cast<std::size_t>(e.to)] =
                joined[static_cast<std::size_t>(e.to)][static_cast<std::size_t>(e.from)] = 1;
    histogram out;
    for (unsigned set = 0; set < 1u << n; ++set) {
        std::vector<std::size_t> chosen;
        for (std::size_t v = 0; v < n; ++v)
            if (set >> v & 1) chosen.push_back(v);
        if (chosen.size() != k) continue;
        std::vector<std::int64_t> smallest;
        do {
            std::vector<std::int64_t> bits;
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j < i; ++j) bits.push_back(joined[chosen[i]][chosen[j]]);
            if (smallest.empty() || bits < smallest) smallest = bits;
        } while (std::next_permutation(chosen.begin(), chosen.end()));
        ++out[smallest];
    }
    return out;
}

approx graphlet_reference(const object& x, const object& z, std::size_t k, bool shares) {
    const histogram a = graphlets_of(x, k), b = graphlets_of(z, k);
    const auto all = [](const histogram& some) {
        std::int64_t sum = 0;
        for (const auto& one : some) sum += one.second;
        return static_cast<long double>(std::max<std::int64_t>(sum, 1));
    };
    approx sum = product_of(a, b);
    if (shares) sum.value /= all(a) * all(b);
    sum.error = shares ? 16 * sum.value : 0;
    return sum;
}

// 1ᵀ(I - λA×)⁻¹1 by elimination over all pairs of nodes with equal labels.
approx walk_reference(const object& x, const object& z, double lambda) {
    const leaving a = edges_of(x.graph), b = edges_of(z.graph);
    const std::size_t m = b.size(), n = a.size() * m;
    const auto same = [&](std::size_t u, std::size_t v) { return label_at(x.graph, u) == label_at(z.graph, v); };
    std::vector<std::vector<long double>> M(n, std::vector<long double>(n + 1));
    for (std::size_t u = 0; u < a.size(); ++u)
        for (std::size_t v = 0; v < m; ++v) {
            auto& row = M[u * m + v];
            row[u * m + v] = 1;
            if (!same(u, v)) continue;
            row[n] = 1;
            for (const auto& [s, s_label] : a[u])
                for (const auto& [t, t_label] : b[v])
                    if (s_label == t_label && same(static_cast<std::size_t>(s), static_cast<std::size_t>(t)))
                        row[static_cast<std::size_t>(s) * m + static_cast<std::size_t>(t)] -= lambda;
        }
    for (std::size_t k = 0; k < n; ++k)  // diagonally dominant: no pivots
        for (std::size_t i = k + 1; i < n; ++i) {
            const long double factor = M[i][k] / M[k][k];
            for (std::size_t j = k; factor != 0 && j <= n; ++j) M[i][j] -= factor * M[k][j];
        }
    approx sum;
    std::vector<long double> solution(n);
    for (std::size_t k = n; k-- > 0;) {
        long double right = M[k][n];
        for (std::size_t j = k + 1; j < n; ++j) right -= M[k][j] * solution[j];
        sum.value += solution[k] = right / M[k][k];
    }
    sum.error = (static_cast<long double>(n) + 8) * sum.value;  // sums of n numbers, (I - λA)⁻¹ of condition < 3
    return sum;
}

// (step, label, bin) with the same random numbers as the library.
histogram bins_of(const object& x, int t, double w, std::uint64_t seed) {
    const auto uniform01 = [&seed] {
        seed += 0x9e3779b97f4a7c15ull;
        std::uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
    };
    histogram out;
    const leaving edges = edges_of(x.graph);
    std::vector<std::array<double, 2>> now, next;
    for (std::size_t v = 0; v < edges.size(); ++v) now.push_back({x.graph.values[2 * v], x.graph.values[2 * v + 1]});
    for (int step = 0; step <= t; ++step) {
        std::array<double, 2> u{};
        for (double& one : u) {
            const double radius = std::sqrt(-2 * std::log(uniform01()));
            one = radius * std::cos(2 * std::numbers::pi * uniform01());
        }
        const double b = w * uniform01();
        for (std::size_t v = 0; v < now.size(); ++v)
            ++out[{step, label_at(x.graph, v),
                   static_cast<std::int64_t>(std::floor((u[0] * now[v][0] + u[1] * now[v][1] + b) / w))}];
        next = now;
        for (std::size_t v = 0; v < now.size(); ++v)
            for (std::size_t a = 0; a < 2 && !edges[v].empty(); ++a) {
                double mean = 0;
                for (const auto& edge : edges[v]) mean += now[static_cast<std::size_t>(edge.first)][a];
                next[v][a] = mean / static_cast<double>(edges[v].size());
            }
        now = next;
    }
    return out;
}

const definition wl_known("wl", [] {
    std::vector<kernel_case> out;
    for (const auto& [h, edges] : std::vector<std::pair<int, int>>{{0, 1}, {1, 0}, {2, 1}, {3, 0}})
        out.push_back({kernel(wl{h, edges}), [h = h, edges = edges](const object& x, const object& z) {
                           return wl_reference(x, z, h, edges == 1);
                       }});
    return out;
});

const definition assignment_known("wl_assignment", [] {
    std::vector<kernel_case> out;
    for (const int h : {0, 2})
        out.push_back({kernel(wl_assignment{h, 1}),
                       [h](const object& x, const object& z) { return assignment_reference(x, z, h); }});
    return out;
});

const definition paths_known("shortest_path", [] {
    return std::vector<kernel_case>{{kernel(shortest_path{}), [](const object& x, const object& z) {
                                         return product_of(distances_of(x), distances_of(z));
                                     }}};
});

const definition graphlets_known("graphlets", [] {
    std::vector<kernel_case> out;
    for (const int k : {3, 4})
        for (const int shares : {0, 1})
            out.push_back({kernel(graphlets{k, shares}), [=](const object& x, const object& z) {
                               return graphlet_reference(x, z, static_cast<std::size_t>(k), shares == 1);
                           }});
    return out;
});

const definition vertices_known("vertex_histogram", [] {
    return std::vector<kernel_case>{{kernel(vertex_histogram{}), [](const object& x, const object& z) {
                                         approx sum;
                                         for (const auto a : x.graph.labels)
                                             for (const auto b : z.graph.labels) sum.value += a == b;
                                         return sum;
                                     }}};
});

const definition edges_known("edge_histogram", [] {
    return std::vector<kernel_case>{{kernel(edge_histogram{}), [](const object& x, const object& z) {
                                         using word = std::vector<std::int64_t>;
                                         const auto only = [](auto, auto label, auto) { return word{label}; };
                                         return product_of(edge_words(x, only), edge_words(z, only));
                                     }}};
});

const definition triples_known("vertex_edge_histogram", [] {
    return std::vector<kernel_case>{{kernel(vertex_edge_histogram{}), [](const object& x, const object& z) {
                                         using word = std::vector<std::int64_t>;
                                         const auto all = [](auto a, auto label, auto b) { return word{a, label, b}; };
                                         return product_of(edge_words(x, all), edge_words(z, all));
                                     }}};
});

// The graphs have at most 2n <= 10 edges: ρ <= 2·10, and λ·ρ² < 1/2.
const definition walks_known("random_walk", [] {
    std::vector<kernel_case> out;
    for (const double lambda : {0.005, 0.0001})
        out.push_back({kernel(random_walk{lambda}),
                       [=](const object& x, const object& z) { return walk_reference(x, z, lambda); }});
    return out;
});

const definition propagation_known("propagation", [] {
    std::vector<kernel_case> out;
    for (const auto& [t, w, seed] : std::vector<std::tuple<int, double, int>>{{0, 1, 0}, {3, 0.5, 7}})
        out.push_back({kernel(propagation{t, w, seed}), [t = t, w = w, seed = seed](const object& x, const object& z) {
                           return product_of(bins_of(x, t, w, static_cast<std::uint64_t>(seed)),
                                             bins_of(z, t, w, static_cast<std::uint64_t>(seed)));
                       }});
    return out;
});

}  // namespace
}  // namespace mercer::testing
