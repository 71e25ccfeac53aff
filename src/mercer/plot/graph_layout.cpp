#include "mercer/plot/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "mercer/base/matrix_view.h"

namespace mercer {

namespace {

constexpr index max_nodes = 500;
constexpr int rounds = 200;

// Neighbours in both directions, without loops.
std::vector<std::vector<index>> undirected_neighbours(const graph& g) {
    std::vector<std::vector<index>> out(static_cast<std::size_t>(g.nodes()));
    for (const graph_edge& e : g.edges())
        if (e.from != e.to) {
            out[static_cast<std::size_t>(e.from)].push_back(e.to);
            out[static_cast<std::size_t>(e.to)].push_back(e.from);
        }
    return out;
}

// The nodes in breadth-first order, component by component, and their distances. Nodes in different components get the
// length of the longest shortest path (at most 4) plus 1.
std::vector<index> breadth_first_distances(const std::vector<std::vector<index>>& near, matrix<double>& apart) {
    const auto n = static_cast<index>(near.size());
    std::vector<index> order, queue;
    std::vector<char> placed(near.size());
    double longest = 1;
    for (index source = 0; source < n; ++source) {
        std::vector<double> far(near.size(), -1);
        far[static_cast<std::size_t>(source)] = 0;
        queue.assign(1, source);
        for (std::size_t head = 0; head < queue.size(); ++head) {
            const index v = queue[head];
            for (const index w : near[static_cast<std::size_t>(v)])
                if (double& there = far[static_cast<std::size_t>(w)]; there < 0) {
                    there = far[static_cast<std::size_t>(v)] + 1;
                    queue.push_back(w);
                }
        }
        for (const index v : queue)
            if (!std::exchange(placed[static_cast<std::size_t>(v)], 1)) order.push_back(v);
        for (index v = 0; v < n; ++v) {
            apart(source, v) = far[static_cast<std::size_t>(v)];
            longest = std::max(longest, apart(source, v));
        }
    }
    for (index v = 0; v < n; ++v)
        for (index w = 0; w < n; ++w)
            if (apart(v, w) < 0) apart(v, w) = std::min(longest, 4.0) + 1;
    return order;
}

}  // namespace

std::vector<layout_point> graph_layout(const graph& g) {
    const index n = g.nodes();
    std::vector<layout_point> at(static_cast<std::size_t>(n));
    const auto near = undirected_neighbours(g);
    matrix<double> apart(std::min(n, max_nodes), std::min(n, max_nodes));
    std::vector<index> order;
    if (n <= max_nodes)
        order = breadth_first_distances(near, apart);
    else
        for (index v = 0; v < n; ++v) order.push_back(v);
    for (index i = 0; i < n; ++i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n),
                     radius = std::sqrt(static_cast<double>(n)) * (1 + 0.1 * static_cast<double>(i % 3));
        at[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = {radius * std::cos(angle),
                                                                            radius * std::sin(angle)};
    }
    if (n > max_nodes) return at;
    // Moves each node to the weighted mean of the positions that its distances to the other nodes ask for; near nodes
    // have larger weights.
    for (int round = 0; round < rounds; ++round)
        for (index v = 0; v < n; ++v) {
            double x = 0, y = 0, all = 0;
            const layout_point here = at[static_cast<std::size_t>(v)];
            for (index w = 0; w < n; ++w) {
                if (w == v) continue;
                const layout_point& there = at[static_cast<std::size_t>(w)];
                const double d = apart(v, w), dx = here.x - there.x, dy = here.y - there.y,
                             length = std::max(1e-9, std::hypot(dx, dy)), weight = 1 / (d * d);
                x += weight * (there.x + d * dx / length);
                y += weight * (there.y + d * dy / length);
                all += weight;
            }
            if (all > 0) at[static_cast<std::size_t>(v)] = {x / all, y / all};
        }
    return at;
}

}  // namespace mercer
