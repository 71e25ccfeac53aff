// n graphs with labels of nodes and edges (whole numbers) and attributes of nodes (real vectors), each in compressed
// rows.
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

struct graph_edge {
    std::int32_t from = 0, to = 0;
    std::int64_t label = 0;
    auto operator<=>(const graph_edge&) const = default;
};

// What a graph is made from. Nodes are numbered from 0. No labels: all are 0.
struct graph_parts {
    index nodes = 0;
    std::vector<graph_edge> edges{};
    std::vector<std::int64_t> labels{};  // one a node, or none
    index attributes = 0;                // so many numbers a node
    std::vector<double> values{};        // node by node
    bool directed = false;
};

// An immutable graph; copies share it. Edges are a set of (from, to, label): what is given twice, or both ways in an
// undirected graph, is there once. Two edges of different labels between the same nodes both stay. A loop makes a node
// its own neighbour, once.
class graph {
public:
    static constexpr index most = (index{1} << 31) - 1;  // nodes; ends of edges

    graph() = default;  // no nodes
    // Fails with invalid_argument, naming the node or edge, where parts do not fit together.
    explicit graph(graph_parts parts);

    index nodes() const { return held_ ? static_cast<index>(held_->start.size()) - 1 : 0; }
    bool directed() const { return held_ && held_->directed; }
    std::int64_t label(index v) const { return has_labels() ? held_->label[static_cast<std::size_t>(v)] : 0; }
    bool has_labels() const { return held_ && !held_->label.empty(); }  // one that is not 0
    // Where the edges of v lead, ascending; of a directed graph those that leave v.
    std::span<const std::int32_t> neighbours(index v) const { return part(held_->to, v); }
    // Their labels, edge by edge; empty where all labels of the graph are 0.
    std::span<const std::int64_t> edge_labels(index v) const {
        return has_edge_labels() ? part(held_->edge_label, v) : std::span<const std::int64_t>();
    }
    bool has_edge_labels() const { return held_ && !held_->edge_label.empty(); }
    index attributes() const { return held_ ? held_->attributes : 0; }  // numbers a node
    std::span<const double> values(index v) const {
        const auto d = static_cast<std::size_t>(attributes());
        return d == 0 ? std::span<const double>()
                      : std::span<const double>(held_->value).subspan(static_cast<std::size_t>(v) * d, d);
    }
    index ends() const { return held_ ? static_cast<index>(held_->to.size()) : 0; }  // entries of all rows together
    std::vector<graph_edge> edges() const;  // each once, in order; from <= to where undirected

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
    static constexpr domain where{"graphs"};
    static constexpr const char* default_kernel = "wl(h=3)";
    using item_list::item_list;

    // As a line of JSON, which the reader of graphs in JSON lines takes.
    std::string text(index i) const;
    void write(object_sink& to) const;
    static graphs read(object_source& from, index count);
};

// The label that a word stands for: a whole number for itself, any other for a hash of its bytes (FNV-1a, 64 bits), so
// that the same word is the same label in every file and process.
std::int64_t label_of(std::string_view word);

}  // namespace mercer
