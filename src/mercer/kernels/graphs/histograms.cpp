#include "mercer/kernels/graphs/histograms.h"

#include <array>

#include "mercer/kernels/graphs/graph_words.h"

namespace mercer {

feature node_label_counts() {
    return graph_words<std::int64_t>("node labels", [](const graph& g, auto& tally) {
        for (index v = 0; v < g.nodes(); ++v) tally.add(g.label(v));
    });
}

feature edge_label_counts() {
    return graph_words<std::int64_t>("edge labels", [](const graph& g, auto& tally) {
        for (const graph_edge& e : g.edges()) tally.add(e.label);
    });
}

feature edge_triple_counts() {
    return graph_words<std::array<std::int64_t, 3>>("edges with their ends", [](const graph& g, auto& tally) {
        for (const graph_edge& e : g.edges()) {
            std::int64_t a = g.label(e.from), b = g.label(e.to);
            if (!g.directed() && a > b) std::swap(a, b);
            tally.add({a, e.label, b});
        }
    });
}

}  // namespace mercer
