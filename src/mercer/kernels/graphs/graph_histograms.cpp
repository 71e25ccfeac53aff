#include "mercer/kernels/graphs/graph_histograms.h"

#include <fmt/format.h>

#include <array>

#include "mercer/kernels/graphs/graph_features.h"

namespace mercer {

named_embedding node_label_counts() {
    return graph_word_counts<std::int64_t>(
        "node labels",
        [](const graph& g, auto& tally) {
            for (index v = 0; v < g.nodes(); ++v) tally.add(g.label(v), {v});
        },
        label_text);
}

named_embedding edge_label_counts() {
    return graph_word_counts<std::int64_t>(
        "edge labels",
        [](const graph& g, auto& tally) {
            for (const graph_edge& e : g.edges()) tally.add(e.label, {e.from, e.to});
        },
        [](std::int64_t label) { return "edge " + label_text(label); });
}

named_embedding edge_triple_counts() {
    return graph_word_counts<std::array<std::int64_t, 3>>(
        "edges with their ends",
        [](const graph& g, auto& tally) {
            for (const graph_edge& e : g.edges()) {
                std::int64_t a = g.label(e.from), b = g.label(e.to);
                if (!g.directed() && a > b) std::swap(a, b);
                tally.add({a, e.label, b}, {e.from, e.to});
            }
        },
        [](const std::array<std::int64_t, 3>& triple) {
            return fmt::format("{} -{}- {}", label_text(triple[0]), label_text(triple[1]), label_text(triple[2]));
        });
}

}  // namespace mercer
