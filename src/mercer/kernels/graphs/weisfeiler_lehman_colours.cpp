#include "mercer/kernels/graphs/weisfeiler_lehman_colours.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <unordered_map>

#include "mercer/kernels/graphs/graph_features.h"

namespace mercer {
namespace {

using colour = std::uint32_t;

// Numbers different keys 0, 1, … in the order of their first occurrence.
class numbering {
public:
    colour operator()(std::int64_t key) {
        if (!numbers_.empty() && key == last_) return number_;
        last_ = key;
        return number_ = numbers_.try_emplace(key, static_cast<colour>(numbers_.size())).first->second;
    }
    std::size_t size() const { return numbers_.size(); }

private:
    std::unordered_map<std::int64_t, colour> numbers_;
    std::int64_t last_ = 0;
    colour number_ = 0;
};

// The colours of one depth for the nodes of all graphs, which are numbered consecutively, with the edges as compressed
// rows.
class colouring {
public:
    colouring(const joined_graphs& all, bool edge_labels) : all_(all) {
        index nodes = 0, ends = 0;
        for (index i = 0; i < all.size(); ++i) {
            first_.push_back(nodes);
            nodes += all[i].nodes();
            ends += all[i].ends();
        }
        first_.push_back(nodes);
        if (nodes > std::numeric_limits<std::int32_t>::max())
            fail(errc::memory,
                 fmt::format("wl: all graphs together can have at most 2^31 - 1 nodes, got {}: take fewer graphs",
                             nodes));
        start_.reserve(static_cast<std::size_t>(nodes) + 1);
        to_.reserve(static_cast<std::size_t>(ends));
        collect(edge_labels);
        keys_.resize(to_.size());
        hashes_.resize(static_cast<std::size_t>(nodes));
        table_.resize(std::bit_ceil(2 * static_cast<std::size_t>(nodes) + 1));
    }

    index first_node(index graph) const { return first_[static_cast<std::size_t>(graph)]; }
    const std::vector<colour>& colours() const { return colours_; }
    std::size_t different() const { return first_of_.size(); }
    // The first node of each colour, by colour.
    const std::vector<std::int32_t>& first_of_colours() const { return first_of_; }

    // Replaces the colours of depth d by those of depth d + 1.
    void refine() {
        parallel_chunks(all_.size(), 64, [&](index begin, index end) {
            for (index v = first_node(begin); v < first_node(end); ++v) compute_signature(static_cast<std::size_t>(v));
        });
        number_signatures();
    }

private:
    void collect(bool edge_labels) {
        numbering labels, edges;
        edges(0);
        for (index i = 0; i < all_.size(); ++i) {
            const graph& g = all_[i];
            for (index v = 0; v < g.nodes(); ++v) {
                start_.push_back(static_cast<index>(to_.size()));
                colours_.push_back(labels(g.label(v)));
                if (colours_.back() == first_of_.size())
                    first_of_.push_back(static_cast<std::int32_t>(colours_.size()) - 1);
                for (const std::int32_t w : g.neighbours(v)) to_.push_back(static_cast<colour>(first_node(i) + w));
                if (!edge_labels || !g.has_edge_labels()) continue;
                edge_.resize(static_cast<std::size_t>(start_.back()));
                for (const std::int64_t label : g.edge_labels(v)) edge_.push_back(edges(label));
            }
        }
        if (!edge_.empty()) edge_.resize(to_.size());
        start_.push_back(static_cast<index>(to_.size()));
    }
    // Computes the signature of a node, which is its colour and the sorted (edge label, colour) keys of its neighbours,
    // and its hash.
    void compute_signature(std::size_t v) {
        const auto begin = static_cast<std::size_t>(start_[v]), end = static_cast<std::size_t>(start_[v + 1]);
        for (std::size_t k = begin; k < end; ++k)
            keys_[k] = (edge_.empty() ? 0 : std::uint64_t{edge_[k]} << 32) | colours_[to_[k]];
        if (end - begin < 16)  // insertion sort is faster for the usual low degrees
            for (std::size_t k = begin + 1; k < end; ++k)
                for (std::size_t j = k; j > begin && keys_[j] < keys_[j - 1]; --j) std::swap(keys_[j], keys_[j - 1]);
        else
            std::sort(keys_.begin() + start_[v], keys_.begin() + start_[v + 1]);
        std::uint64_t hash = colours_[v] + 0x9e3779b97f4a7c15ull;
        for (std::size_t k = begin; k < end; ++k) {
            hash = (hash ^ keys_[k]) * 0xff51afd7ed558ccdull;
            hash ^= hash >> 32;
        }
        hashes_[v] = hash * 0xc4ceb9fe1a85ec53ull;
    }
    bool same(std::size_t v, std::size_t w) const {
        const auto size = start_[v + 1] - start_[v];
        return hashes_[v] == hashes_[w] && colours_[v] == colours_[w] && size == start_[w + 1] - start_[w] &&
               std::equal(keys_.begin() + start_[v], keys_.begin() + start_[v + 1], keys_.begin() + start_[w]);
    }
    // Numbers the different signatures in the order of their first nodes, with a hash table. Signatures with equal
    // hashes are compared.
    void number_signatures() {
        std::ranges::fill(table_, 0);
        next_.resize(colours_.size());
        const std::size_t mask = table_.size() - 1;
        const int shift = 64 - std::countr_zero(table_.size());
        first_of_.clear();
        for (std::size_t v = 0; v < colours_.size(); ++v) {
            std::size_t at = shift == 64 ? 0 : hashes_[v] >> shift;
            while (table_[at] != 0 && !same(v, table_[at] - 1)) at = (at + 1) & mask;
            if (table_[at] == 0) {
                table_[at] = static_cast<colour>(v) + 1;
                next_[v] = static_cast<colour>(first_of_.size());
                first_of_.push_back(static_cast<std::int32_t>(v));
            } else {
                next_[v] = next_[table_[at] - 1];
            }
        }
        colours_.swap(next_);
    }

    const joined_graphs& all_;
    std::vector<index> first_;                  // the first node of each graph
    std::vector<index> start_;                  // the first edge of each node
    std::vector<colour> to_, edge_;             // by edge: the neighbour, the number of the label (empty: no labels)
    std::vector<colour> colours_, next_;        // by node
    std::vector<std::uint64_t> keys_, hashes_;  // by edge; by node
    std::vector<colour> table_;                 // node + 1, or 0
    std::vector<std::int32_t> first_of_;        // the first node of each colour
};

using rows = std::vector<std::vector<std::pair<index, double>>>;

// A colour, represented by a node that has it: the tree of labels around this node, to the depth of the colour.
struct rooted_tree {
    int depth = 0;
    std::int32_t node = 0;  // its number among the nodes of all graphs
};

// The counts of the colours of each graph. The columns are ordered by depth.
struct counted_colours {
    rows counts;
    std::vector<rooted_tree> trees{};  // by column
    std::vector<index> first_node{};   // the first node of each graph

    index dims() const { return static_cast<index>(trees.size()); }
};

// Calls seen(depth, first column of that depth, colouring) for the depths 0 … h.
template <class Seen>
void for_each_depth(const joined_graphs& all, int h, bool edge_labels, Seen seen) {
    colouring nodes(all, edge_labels);
    index first = 0;
    for (int depth = 0; depth <= h; ++depth) {
        if (depth > 0) nodes.refine();
        seen(depth, first, nodes);
        first += static_cast<index>(nodes.different());
    }
}

counted_colours count_colours(const joined_graphs& all, int h, bool edge_labels) {
    counted_colours out{rows(static_cast<std::size_t>(all.size()))};
    for_each_depth(all, h, edge_labels, [&](int depth, index first, const colouring& nodes) {
        parallel_chunks(all.size(), 64, [&](index begin, index end) {
            std::vector<colour> own;
            for (index i = begin; i < end; ++i) {
                own.assign(nodes.colours().begin() + nodes.first_node(i),
                           nodes.colours().begin() + nodes.first_node(i + 1));
                std::ranges::sort(own);
                auto& row = out.counts[static_cast<std::size_t>(i)];
                for (std::size_t k = 0; k < own.size(); ++k)
                    if (k > 0 && own[k] == own[k - 1])
                        ++row.back().second;
                    else
                        row.emplace_back(first + own[k], 1);
            }
        });
        for (const std::int32_t node : nodes.first_of_colours()) out.trees.push_back({depth, node});
        if (depth == 0)
            for (index i = 0; i <= all.size(); ++i) out.first_node.push_back(nodes.first_node(i));
    });
    return out;
}

// The text of a tree of labels: "1(2×0 3)" is a node of label 1 with two neighbours of label 0 and one of label 3. Edge
// labels stand before the neighbours, "1(2:0)". A text of more than about `room` bytes ends with "…".
std::string tree_text(const graph& g, index v, int depth, bool edge_labels, std::size_t room) {
    std::string out = label_text(g.label(v));
    const auto near = g.neighbours(v);
    if (depth == 0) return out;
    std::vector<std::string> children;
    std::size_t used = 0;
    for (std::size_t e = 0; e < near.size(); ++e) {
        std::string child;
        if (edge_labels && g.has_edge_labels()) child = label_text(g.edge_labels(v)[e]) + ":";
        child += used < room ? tree_text(g, near[e], depth - 1, edge_labels, room - used) : "…";
        used += child.size();
        children.push_back(std::move(child));
    }
    std::ranges::sort(children);
    out += '(';
    for (std::size_t c = 0, same = 1; c < children.size(); c += same) {
        for (same = 1; c + same < children.size() && children[c + same] == children[c];) ++same;
        if (c > 0) out += ' ';
        if (out.size() > room) {
            out += "…";
            break;
        }
        if (same > 1) out += fmt::format("{}×", same);
        out += children[c];
    }
    return out + ')';
}

// The function that gives the text of a column's tree.
auto tree_names(const dataset& x, const dataset* z, const std::string& key, bool edge_labels,
                const counted_colours& made) {
    return [=, second = z ? *z : dataset(), trees = made.trees, first = made.first_node](index c) {
        const joined_graphs all(x, second.size() ? &second : nullptr, key);
        const rooted_tree& tree = trees[static_cast<std::size_t>(c)];
        const auto i = std::ranges::upper_bound(first, index{tree.node}) - first.begin() - 1;
        constexpr std::size_t room = 240;
        const auto text = [&](int depth) {
            return tree_text(all[i], tree.node - first[static_cast<std::size_t>(i)], depth, edge_labels, room);
        };
        const std::string whole = text(tree.depth);
        // If the tree has no node at the depth of the colour, its text is that of a smaller depth; the depth is added.
        return tree.depth > 0 && whole == text(tree.depth - 1) ? fmt::format("{} to depth {}", whole, tree.depth)
                                                               : whole;
    };
}

// The occurrences of the colours in graph i: the column of the colour of each node, for every depth.
std::vector<feature_place> coloured_nodes(const dataset& x, const dataset& z, const std::string& key, int h,
                                          bool edge_labels, index i) {
    const joined_graphs all(x, z.size() ? &z : nullptr, key);
    std::vector<feature_place> out;
    for_each_depth(all, h, edge_labels, [&](int, index first, const colouring& nodes) {
        for (index v = nodes.first_node(i); v < nodes.first_node(i + 1); ++v)
            out.push_back({first + nodes.colours()[static_cast<std::size_t>(v)], 1, {v - nodes.first_node(i)}});
    });
    return out;
}

std::string key_of(const char* what, int h, bool edge_labels) {
    return fmt::format("{} {} {}", what, h, edge_labels ? "with edges" : "without");
}

}  // namespace

named_embedding colour_counts(int h, bool edge_labels) {
    const std::string key = key_of("wl", h, edge_labels);
    return {key, [=](const dataset& x, const dataset* z) {
                const joined_graphs all(x, z, key);
                const counted_colours made = count_colours(all, h, edge_labels);
                named_rows out;
                std::tie(out.x, out.z) = all.split(made.counts, made.dims(), key);
                out.name = [text = tree_names(x, z, key, edge_labels, made)](index c, const known_names&) {
                    return text(c);
                };
                out.places = [=, second = z ? *z : dataset()](index i) {
                    return coloured_nodes(x, second, key, h, edge_labels, i);
                };
                return out;
            }};
}

named_embedding colour_steps(int h, bool edge_labels) {
    const std::string key = key_of("wl_assignment", h, edge_labels);
    return {key, [=](const dataset& x, const dataset* z) {
                const joined_graphs all(x, z, key);
                counted_colours made = count_colours(all, h, edge_labels);
                // A colour gets one column for each t up to the largest count of the colour in a graph.
                std::vector<index> column(static_cast<std::size_t>(made.dims()) + 1);
                for (const auto& row : made.counts)
                    for (const auto& [at, count] : row) {
                        index& most = column[static_cast<std::size_t>(at) + 1];
                        most = std::max(most, static_cast<index>(count));
                    }
                for (std::size_t c = 1; c < column.size(); ++c) column[c] += column[c - 1];
                parallel_for(all.size(), [&](index i) {
                    std::vector<std::pair<index, double>> steps;
                    for (const auto& [at, count] : made.counts[static_cast<std::size_t>(i)])
                        for (index t = 0; t < static_cast<index>(count); ++t)
                            steps.emplace_back(column[static_cast<std::size_t>(at)] + t, 1);
                    made.counts[static_cast<std::size_t>(i)] = std::move(steps);
                });
                named_rows out;
                std::tie(out.x, out.z) = all.split(made.counts, column.back(), key);
                out.name = [column, text = tree_names(x, z, key, edge_labels, made)](index c, const known_names&) {
                    const auto at = std::ranges::upper_bound(column, c) - column.begin() - 1;
                    return fmt::format("{} number {}", text(at), c - column[static_cast<std::size_t>(at)] + 1);
                };
                out.places = [=, second = z ? *z : dataset()](index i) {
                    std::vector<feature_place> found = coloured_nodes(x, second, key, h, edge_labels, i);
                    std::vector<index> met(column.size());
                    for (feature_place& each : found) {
                        const auto at = static_cast<std::size_t>(each.column);
                        each.column = column[at] + met[at]++;
                    }
                    return found;
                };
                return out;
            }};
}

}  // namespace mercer
