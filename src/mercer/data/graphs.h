// n graphs. Nodes and edges have labels (whole numbers), and nodes have attributes (vectors of real numbers, of the
// same length for all nodes of a graph). The edges of a graph are stored in compressed rows.
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

// An edge between two nodes, given by their numbers.
struct graph_edge {
    std::int32_t from = 0, to = 0;
    std::int64_t label = 0;
    auto operator<=>(const graph_edge&) const = default;
};

// The input of the constructor of graph. Nodes are numbered from 0.
struct graph_parts {
    index nodes = 0;
    std::vector<graph_edge> edges{};
    std::vector<std::int64_t> labels{};  // one per node; empty: all are 0
    index attributes = 0;                // numbers per node
    std::vector<double> values{};        // nodes × attributes, node by node
    bool directed = false;
};

// An immutable graph; copies share its storage. Edges are a set of (from, to, label): an edge that is given twice, or
// in both directions in an undirected graph, is stored once. Two edges with different labels between the same nodes are
// two edges. A loop makes a node its own neighbour, once.
class graph {
public:
    static constexpr index max_ends =
        (index{1} << 31) - 1;  // largest number of edge ends; there are fewer nodes than that

    graph() = default;  // no nodes
    // Makes a graph of its parts. Throws errc::invalid_argument, naming the node or edge, if the parts are
    // inconsistent.
    explicit graph(graph_parts parts);

    index nodes() const { return held_ ? static_cast<index>(held_->start.size()) - 1 : 0; }
    bool directed() const { return held_ && held_->directed; }
    std::int64_t label(index v) const { return has_labels() ? held_->label[static_cast<std::size_t>(v)] : 0; }
    bool has_labels() const { return held_ && !held_->label.empty(); }  // false: all labels of nodes are 0
    // The neighbours of v, ascending; in a directed graph the ends of the edges that begin at v.
    std::span<const std::int32_t> neighbours(index v) const { return part(held_->to, v); }
    // The labels of the edges from v to neighbours(v), in the order of neighbours(v); empty if all edge labels of the
    // graph are 0.
    std::span<const std::int64_t> edge_labels(index v) const {
        return has_edge_labels() ? part(held_->edge_label, v) : std::span<const std::int64_t>();
    }
    bool has_edge_labels() const { return held_ && !held_->edge_label.empty(); }
    index attributes() const { return held_ ? held_->attributes : 0; }  // numbers per node
    std::span<const double> values(index v) const {
        const auto d = static_cast<std::size_t>(attributes());
        return d == 0 ? std::span<const double>()
                      : std::span<const double>(held_->value).subspan(static_cast<std::size_t>(v) * d, d);
    }
    // The total number of neighbours of all nodes.
    index ends() const { return held_ ? static_cast<index>(held_->to.size()) : 0; }
    std::vector<graph_edge> edges() const;  // each edge once, sorted; from <= to if undirected

    std::partial_ordering operator<=>(const graph& other) const;
    bool operator==(const graph& other) const { return (*this <=> other) == 0; }

private:
    struct rows {
        bool directed = false;
        index attributes = 0;
        std::vector<std::int32_t> start, to;
        std::vector<std::int64_t> edge_label, label;
        std::vector<double> value;
        std::partial_ordering operator<=>(const rows&) const = default;
    };
    template <class T>
    std::span<const T> part(const std::vector<T>& of, index v) const {
        const auto at = static_cast<std::size_t>(v);
        const auto first = static_cast<std::size_t>(held_->start[at]);
        return std::span<const T>(of).subspan(first, static_cast<std::size_t>(held_->start[at + 1]) - first);
    }
    friend class graphs;

    std::shared_ptr<const rows> held_;
};

class graphs : public item_list<graphs, graph> {
public:
    static constexpr object_kind kind{"graphs"};
    static constexpr const char* default_kernel = "wl(h=3)";
    using item_list::item_list;

    // A line of JSON, in the format of io/json_graphs.h.
    std::string text(index i) const;
    void write(byte_writer& to) const;
    static graphs read(byte_reader& from, index count);
};

// The label of a word: its value if it is a whole number, otherwise a hash of its bytes (FNV-1a, 64 bits), so that a
// word has the same label in every file and process.
std::int64_t label_of(std::string_view word);

}  // namespace mercer
