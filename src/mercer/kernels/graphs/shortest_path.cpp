#include "mercer/kernels/graphs/shortest_path.h"

#include <fmt/format.h>

#include <array>

#include "mercer/base/context.h"
#include "mercer/kernels/graphs/graph_features.h"

namespace mercer {

named_embedding shortest_path_counts() {
    const auto paths = [](const graph& g, auto& tally) {
        std::vector<std::int32_t> distance(static_cast<std::size_t>(g.nodes())), queue;
        cancellation_check stop_check;
        for (index source = 0; source < g.nodes(); ++source) {
            stop_check.count(distance.size() + queue.size());
            std::ranges::fill(distance, -1);
            distance[static_cast<std::size_t>(source)] = 0;
            queue.assign(1, static_cast<std::int32_t>(source));
            for (std::size_t head = 0; head < queue.size(); ++head) {
                const std::int32_t v = queue[head], far = distance[static_cast<std::size_t>(v)];
                if (head > 0 && (g.directed() || v > source)) {
                    std::int64_t a = g.label(source), b = g.label(v);
                    if (!g.directed() && a > b) std::swap(a, b);
                    tally.add({a, b, far}, {source, v});
                }
                for (const std::int32_t w : g.neighbours(v))
                    if (std::int32_t& there = distance[static_cast<std::size_t>(w)]; there < 0) {
                        there = far + 1;
                        queue.push_back(w);
                    }
            }
        }
    };
    return graph_word_counts<std::array<std::int64_t, 3>>(
        "shortest paths", paths, [](const std::array<std::int64_t, 3>& path) {
            return fmt::format("{} and {}, {} apart", label_text(path[0]), label_text(path[1]), path[2]);
        });
}

}  // namespace mercer
