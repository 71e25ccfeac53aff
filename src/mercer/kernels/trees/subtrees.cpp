#include "mercer/kernels/trees/subtrees.h"

#include <fmt/format.h>

#include "mercer/kernels/word_counts.h"

namespace mercer {

named_embedding subtrees::embedding() const {
    return word_counts<std::string, trees>(
        fmt::format("subtrees {}", lambda),
        [root = std::sqrt(lambda)](const trees& some, index i, auto add) {
            const tree& one = some[i];
            // inner[v] is the number of nodes with children before node v.
            std::vector<index> inner(static_cast<std::size_t>(one.size()) + 1, 0);
            for (index v = 0; v < one.size(); ++v)
                inner[static_cast<std::size_t>(v) + 1] = inner[static_cast<std::size_t>(v)] + !one.is_leaf(v);
            for (index v = 0; v < one.size(); ++v) {
                if (one.is_leaf(v)) continue;
                const index count =
                    inner[static_cast<std::size_t>(one.subtree_end(v))] - inner[static_cast<std::size_t>(v)];
                add(one.text(v), std::pow(root, static_cast<double>(count)),
                    masked_range{static_cast<std::size_t>(v), static_cast<std::size_t>(one[v].size)});
            }
        },
        [](const std::string& text, const known_names&) { return text; });
}

}  // namespace mercer
